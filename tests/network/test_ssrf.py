"""Server-side request forgery: however an inside address is spelled, nothing is dialled."""

import errno
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack

import anyio
import httpx2
import pytest
from anyio.abc import SocketAttribute, SocketStream

from network.wire import dialling, http, peer
from servers.transports.serving import listening, running, tools_app
from toolweave.errors import Denied, ToolweaveError
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import Resolve, open_http_client

pytestmark = pytest.mark.anyio

PUBLIC = "https://mcp.example.com/mcp"

# `PORT` is the canary's. Names are answered by a resolver that leads everything to 127.0.0.1.
SPELLINGS = [
    # plain
    "127.0.0.1:PORT",
    "127.0.0.2:PORT",
    "127.255.255.254:PORT",
    "0.0.0.0:PORT",
    "localhost:PORT",
    "LOCALHOST:PORT",
    "localhost.:PORT",
    "127.0.0.1.:PORT",
    "app.localhost:PORT",
    "localhost.localdomain:PORT",
    # numbers only some readers take for an address
    "2130706433:PORT",
    "017700000001:PORT",
    "0x7f000001:PORT",
    "0x7F.0x0.0x0.0x1:PORT",
    "0x7f.1:PORT",
    "0177.0.0.1:PORT",
    "0177.0.0.01:PORT",
    "00000177.0.0.1:PORT",
    "127.1:PORT",
    "127.0.1:PORT",
    "127.0.0.0x1:PORT",
    "127.0.0.01:PORT",
    "0:PORT",
    "00:PORT",
    "0x0:PORT",
    "4294967297:PORT",
    "383:PORT",
    # IPv6
    "[::1]:PORT",
    "[0:0:0:0:0:0:0:1]:PORT",
    "[0000:0000:0000:0000:0000:0000:0000:0001]:PORT",
    "[::]:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "[::ffff:7f00:1]:PORT",
    "[0:0:0:0:0:ffff:127.0.0.1]:PORT",
    "[::127.0.0.1]:PORT",
    "[::ffff:0:127.0.0.1]:PORT",
    "[64:ff9b::127.0.0.1]:PORT",
    "[64:ff9b:1::7f00:1]:PORT",
    "[2002:7f00:1::]:PORT",
    "[2001:0:7f00:1::]:PORT",
    "[::1%25lo]:PORT",
    "[::1%lo]:PORT",
    "[fe80::1%25lo]:PORT",
    "[fe80::1]:PORT",
    "[fec0::1]:PORT",
    "[fc00::1]:PORT",
    "[fd00:ec2::254]:PORT",
    "[ff02::1]:PORT",
    "[127.0.0.1]:PORT",
    "::1",
    # who is the host?
    "example.com@127.0.0.1:PORT",
    "example.com:80@127.0.0.1:PORT",
    "example.com%40@127.0.0.1:PORT",
    "user:pass@[::1]:PORT",
    "example.com\\@127.0.0.1:PORT",
    "127.0.0.1:PORT\\@example.com",
    "127.0.0.1:PORT#@example.com",
    "127.0.0.1:PORT?@example.com",
    "127.0.0.1:PORT%2f@example.com:PORT",
    "1.1.1.1 &@127.0.0.1:PORT# @example.com",
    "127.0.0.1%00.example.com:PORT",
    "127.0.0.1%2eexample.com:PORT",
    "%31%32%37.0.0.1:PORT",
    "127%2e0%2e0%2e1:PORT",
    "127.0.0.1\t:PORT",
    "127.0.0.1\r\n:PORT",
    # other alphabets: full-width, circled and Arabic digits, ideographic stops, soft hyphen
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11:PORT",
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:PORT",
    "127\u30020\u30020\u30021:PORT",
    "127\uff0e0\uff0e0\uff0e1:PORT",
    "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3:PORT",
    "localhost\u3002:PORT",
    "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54:PORT",
    "loc\u00adalhost:PORT",
    "xn--localhost-:PORT",
    "xn--127-0-0-1:PORT",
    "\u0661\u0662\u0667.\u0660.\u0660.\u0661:PORT",
    # names that lead inside
    "mcp.example.com:PORT",
    "rebound.example.com:PORT",
    "127.0.0.1.nip.io:PORT",
    "7f000001.example.com:PORT",
    "xn--bcher-kva.example:PORT",
    "bücher.example:PORT",
    "nas:PORT",
    "nas.local:PORT",
    "db.internal:PORT",
    "metadata.google.internal:PORT",
    "-a.example.com:PORT",
    "a..example.com:PORT",
    ":PORT",
    # places no listener here can stand in for
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
]


async def inside(host: str, port: int) -> Sequence[str]:
    """A hostile name server: every name is this machine."""
    return ["127.0.0.1", "::1"]


class Canary:
    """Listens on both loopbacks and counts who comes."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connections = 0
        with socket.socket(socket.AF_INET6) as probe:
            self.has_ipv6 = probe.connect_ex(("::1", 1)) == errno.ECONNREFUSED

    async def count(self, stream: SocketStream) -> None:
        self.connections += 1
        await stream.aclose()


@pytest.fixture
async def canary() -> AsyncGenerator[Canary]:
    first = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    known = Canary(first.extra(SocketAttribute.local_port))
    async with AsyncExitStack() as stack:
        listeners = [await stack.enter_async_context(first)]
        if known.has_ipv6:
            second = await anyio.create_tcp_listener(local_host="::1", local_port=known.port)
            listeners.append(await stack.enter_async_context(second))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        for listener in listeners:
            tasks.start_soon(listener.serve, known.count)
        yield known
        tasks.cancel_scope.cancel()


def a_client(approved: str, resolve: Resolve | None = None) -> httpx2.AsyncClient:
    return open_http_client(
        allow=AllowedHosts.of(approved), timeout=5, max_body_bytes=1000, resolve=resolve
    )


def test_there_are_at_least_sixty_different_spellings() -> None:
    assert len(set(SPELLINGS)) == len(SPELLINGS) >= 60


@pytest.mark.parametrize("scheme", ["https", "http"])
@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_no_spelling_of_an_inside_address_is_dialled(
    spelling: str, scheme: str, canary: Canary
) -> None:
    url = f"{scheme}://{spelling.replace('PORT', str(canary.port))}/latest/meta-data"
    for resolve in (inside, None if not _is_looked_up(spelling) else inside):
        with dialling() as dialled, anyio.fail_after(60):
            async with a_client(PUBLIC, resolve) as client:
                # httpx2 itself refuses some spellings before they come to us.
                with pytest.raises((Denied, httpx2.InvalidURL)) as caught:
                    await client.get(url)
        if isinstance(caught.value, Denied):
            assert caught.value.code == "SERVER_ADDRESS_DENIED"
        assert dialled == []
    assert canary.connections == 0


def _is_looked_up(spelling: str) -> bool:
    """Whether a system resolver would ask the network about it; such names stay in here."""
    return any(letter.isalpha() and letter not in "xXPORT" for letter in spelling)


async def test_the_canary_is_reached_by_a_client_that_does_not_check(canary: Canary) -> None:
    reached = 0
    spellings = ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]")
    for spelling in spellings:
        async with httpx2.AsyncClient(trust_env=False) as naive:
            with anyio.fail_after(60), pytest.raises(httpx2.TransportError):
                await naive.get(f"http://{spelling}:{canary.port}/")
        reached += 1
    await anyio.wait_all_tasks_blocked()
    assert canary.connections == reached == len(spellings)


async def test_an_approved_loopback_server_is_reached(canary: Canary) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]" if canary.has_ipv6 else "127.0.0.1"):
        async with a_client(f"http://{host}:{canary.port}/mcp") as client:
            with anyio.fail_after(60), pytest.raises(ToolweaveError) as caught:
                await client.get(f"http://{host}:{canary.port}/mcp")
        assert caught.value.code != "SERVER_ADDRESS_DENIED"
    assert canary.connections >= 3


async def test_every_new_connection_looks_the_name_up_and_checks_it_again() -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"]]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        assert host == "nas"
        return answers.pop(0)

    async with peer(http(200, b"{}")) as known:
        url = f"http://nas:{known.port}/mcp"
        with dialling() as dialled, anyio.fail_after(60):
            async with a_client(url, rebinding) as client:
                assert (await client.get(url)).status_code == 200
                with pytest.raises(Denied) as caught:
                    await client.get(url)
        assert dialled == [("127.0.0.1", known.port)]
    assert caught.value.code == "SERVER_ADDRESS_DENIED"
    assert caught.value.facts == {"host": "nas", "addresses": ["169.254.169.254"]}


async def test_a_connection_that_is_kept_open_needs_no_second_look() -> None:
    asked: list[str] = []

    async def counting(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with listening() as (bound, origin), running(tools_app([]), bound):
        url = f"http://nas:{origin.rpartition(':')[2]}/nothing"
        async with a_client(url, counting) as client:
            with anyio.fail_after(60):
                assert [(await client.get(url)).status_code for _ in range(3)] == [404] * 3
    assert asked == ["nas"]


async def test_only_the_allowed_ones_of_many_addresses_are_dialled() -> None:
    async def mixed(host: str, port: int) -> Sequence[str]:
        return ["fe80::1%eth0", "169.254.169.254", "127.0.0.1"]  # as mDNS likes to answer

    async with peer(http(200, b"{}")) as known:
        url = f"http://nas.local:{known.port}/mcp"
        with dialling() as dialled, anyio.fail_after(60):
            async with a_client(url, mixed) as client:
                assert (await client.get(url)).status_code == 200
        assert dialled == [("127.0.0.1", known.port)]


async def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    async def both(host: str, port: int) -> Sequence[str]:
        return ["::1", "127.0.0.1"]

    async with peer(http(200, b"{}")) as known:  # on IPv4 only
        url = f"http://localhost:{known.port}/mcp"
        with dialling() as dialled, anyio.fail_after(60):
            async with a_client(url, both) as client:
                assert (await client.get(url)).status_code == 200
        assert [host for host, _ in dialled] == ["::1", "127.0.0.1"]
