"""The HTTP client: caps, faults with a name, and nothing taken from the environment."""

import datetime
import gzip
import socket
import ssl
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from network.wire import http, json_answer, peer, slow_peer
from toolweave.errors import Denied, Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import (
    CheckedBackend,
    open_http_client,
    resolve_name,
)

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


def a_client(url: str, **options: Any) -> httpx2.AsyncClient:
    defaults: dict[str, Any] = {"timeout": 5, "max_body_bytes": MIB}
    return open_http_client(allow=AllowedHosts.of(url), **{**defaults, **options})


async def fetch(url: str, **options: Any) -> httpx2.Response:
    with anyio.fail_after(60):
        async with a_client(url, **options) as client:
            return await client.get(url)


async def fails(answer: bytes | None, **options: Any) -> ToolweaveError:
    async with peer(answer) as known:
        with pytest.raises(ToolweaveError) as caught:
            await fetch(known.url, **options)
    return caught.value


async def test_a_body_up_to_the_cap_is_read_and_one_byte_more_is_refused() -> None:
    async with peer(json_answer(b"x" * 1000)) as known:
        assert (await fetch(known.url, max_body_bytes=1000)).content == b"x" * 1000
    error = await fails(json_answer(b"x" * 1001), max_body_bytes=1000)
    assert isinstance(error, Unavailable)
    assert error.code == "SERVER_RESPONSE_TOO_LARGE"
    assert error.facts == {"max_bytes": 1000}


async def test_a_packed_body_is_unpacked() -> None:
    text = b"hello " * 100_000
    async with peer(http(200, gzip.compress(text), content_encoding="gzip")) as known:
        response = await fetch(known.url)
    assert response.content == text
    assert "content-encoding" not in response.headers


async def test_a_gzip_bomb_is_cut_at_the_cap_without_being_expanded() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(MIB)
    bomb = b"".join(packer.compress(zeros) for _ in range(512)) + packer.flush()
    assert len(bomb) < MIB
    async with peer(http(200, bomb, content_encoding="gzip")) as known:
        tracemalloc.start()
        try:
            with pytest.raises(Unavailable) as caught:
                await fetch(known.url, max_body_bytes=2 * MIB)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert caught.value.code == "SERVER_RESPONSE_TOO_LARGE"
    assert peak < 16 * MIB


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"not packed at all", "gzip"),
        (gzip.compress(b"x" * 1000)[:-9], "gzip"),
        (gzip.compress(b"x") + b"trailing" * 1000, "gzip"),
        (gzip.compress(gzip.compress(b"x")), "gzip, gzip"),
        (b"x", "br"),
        (b"x", "zstd"),
        (b"x", "unheard-of"),
    ],
    ids=["damaged", "cut off", "goes on", "twice", "br", "zstd", "unknown"],
)
async def test_a_body_packed_wrongly_or_unasked_breaks_the_protocol(
    body: bytes, coding: str
) -> None:
    error = await fails(http(200, body, content_encoding=coding))
    assert (type(error), error.code) == (Unavailable, "SERVER_PROTOCOL")


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (b"", Unavailable, "SERVER_PROTOCOL"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", Unavailable, "SERVER_PROTOCOL"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"a" * 300_000, Unavailable, "SERVER_PROTOCOL"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{", Unavailable, "SERVER_PROTOCOL"),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            Unavailable,
            "SERVER_PROTOCOL",
        ),
        (None, TimedOut, "SERVER_TIMED_OUT"),
    ],
    ids=["closes", "no http", "endless head", "truncated", "bad chunk", "never answers"],
)
async def test_what_goes_wrong_on_the_wire_has_a_name(
    answer: bytes | None, kind: type[ToolweaveError], code: str
) -> None:
    error = await fails(answer, timeout=0.2 if answer is None else 5)
    assert (type(error), error.code) == (kind, code)


async def test_a_closed_port_and_an_unknown_name_are_unreachable() -> None:
    async def nowhere(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(-2, "Name or service not known")

    async def nothing(host: str, port: int) -> Sequence[str]:
        return []

    async def silence(host: str, port: int) -> Sequence[str]:
        await anyio.sleep_forever()
        return []

    async with peer(b"") as known:
        closed = known.url
    for url, options in (
        (closed, {}),
        ("https://mcp.example.com/", {"resolve": nowhere}),
        ("https://mcp.example.com/", {"resolve": nothing}),
        ("https://mcp.example.com/", {"resolve": silence, "timeout": 0.05}),
    ):
        with pytest.raises(Unavailable) as caught:
            await fetch(url, **options)
        assert caught.value.code == "SERVER_UNREACHABLE"


@pytest.mark.parametrize("slow", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: "])
async def test_a_response_that_comes_slowly_without_an_end_is_given_up(slow: bytes) -> None:
    async with slow_peer(lambda _: None, slow) as known:
        with pytest.raises(TimedOut) as caught:
            await fetch(known.url, total_s=0.2)
    assert caught.value.code == "SERVER_TIMED_OUT"
    # The control: one that ends in time is read.
    async with slow_peer(lambda _: json_answer(b"{}"), slow) as known:
        assert (await fetch(known.url, total_s=50)).content == b"{}"


async def test_redirects_are_not_followed() -> None:
    async with peer(http(307, location="http://127.0.0.1:1/elsewhere")) as known:
        assert (await fetch(known.url)).status_code == 307
        assert known.connections == 1


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with peer(http(200)) as proxy, peer(http(200, b"direct")) as known:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert (await fetch(known.url)).content == b"direct"
        assert proxy.connections == 0
        async with httpx2.AsyncClient() as trusting:  # which shows that the trap is set
            await trusting.get(known.url)
        assert proxy.connections == 1


async def test_the_host_header_is_the_name_and_not_the_address() -> None:
    async def here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    async with peer(http(200)) as known:
        await fetch(f"http://nas.local:{known.port}/mcp", resolve=here)
        assert f"host: nas.local:{known.port}".encode() in known.heads[0].lower()


async def test_our_headers_and_the_given_ones_are_sent() -> None:
    async with peer(http(200)) as known:
        await fetch(known.url, headers={"Authorization": "Bearer abc ", "X-Team": "blue"})
        head = known.heads[0].lower()
    assert b"authorization: bearer abc\r\n" in head
    assert b"x-team: blue\r\n" in head
    assert b"user-agent: toolweave/" in head
    assert b"accept-encoding: gzip\r\n" in head


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer hunter2\n"),
        ("Authorization", "Bearer hunter2\r\nX-Evil: 1"),
        ("Authorization", "Bearer hunter2\x00"),
        ("X-Name", "hunter2\u2028"),
        ("X-Name", "huntér2"),
        ("X Name", "hunter2"),
        ("X-Name:", "hunter2"),
        ("", "hunter2"),
        ("Host", "hunter2"),
        ("content-length", "hunter2"),
        ("Transfer-Encoding", "hunter2"),
    ],
)
def test_a_header_that_could_break_out_of_its_line_is_refused_without_its_value(
    name: str, value: str
) -> None:
    with pytest.raises(Invalid) as caught:
        a_client("http://127.0.0.1:1/", headers={name: value})
    assert caught.value.code == "SERVER_HEADER_INVALID"
    assert "hunt" not in str(caught.value.as_json())


async def test_a_header_of_a_single_request_cannot_break_out_either() -> None:
    async with peer(http(200)) as known, a_client(known.url) as client:
        with anyio.fail_after(60), pytest.raises(Invalid) as caught:
            await client.get(known.url, headers={"x-name": "hunter2\nx-evil: 1"})
        assert known.heads == []
    assert caught.value.code == "SERVER_HEADER_INVALID"
    assert "hunter2" not in str(caught.value.as_json())


async def test_sockets_of_the_file_system_are_not_used(tmp_path: Path) -> None:
    backend = CheckedBackend(AllowedHosts.of("http://127.0.0.1/"), resolve_name)
    with pytest.raises(Denied):
        await backend.connect_unix_socket(str(tmp_path / "docker.sock"))


async def test_a_token_is_sent_to_the_approved_address_only() -> None:
    token = {"authorization": "Bearer abc"}
    async with peer(http(200)) as known, peer(http(200)) as other:
        async with a_client(known.url) as client:
            with anyio.fail_after(60):
                await client.get(known.url, headers=token)
                with pytest.raises(Denied) as caught:
                    await client.get(other.url, headers=token)
                # A client's own credentials at its authorization server are no token.
                await client.get(other.url, headers={"authorization": "Basic abc"})
        assert (known.connections, other.connections) == (1, 1)
    assert caught.value.code == "SERVER_ADDRESS_DENIED"
    assert "abc" not in str(caught.value.as_json())


async def test_failures_are_heard_even_where_they_are_swallowed() -> None:
    heard: list[ToolweaveError] = []
    async with peer(json_answer(b"x" * 100)) as known:
        with pytest.raises(Unavailable):
            await fetch(known.url, max_body_bytes=10, on_failure=heard.append)
        with pytest.raises(Denied):
            async with a_client(known.url, on_failure=heard.append) as client:
                await client.get("file:///etc/passwd")
    assert [error.code for error in heard] == ["SERVER_RESPONSE_TOO_LARGE", "SERVER_ADDRESS_DENIED"]


async def test_others_run_while_a_packed_body_is_unpacked() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(packer.compress(bytes(MIB)) for _ in range(16)) + packer.flush()
    turns: list[int] = []
    pieces: list[int] = []

    async def take_turns() -> None:
        while True:
            turns.append(len(pieces))
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(60):
        async with (
            peer(http(200, body, content_encoding="gzip")) as known,
            a_client(known.url, max_body_bytes=32 * MIB) as client,
            client.stream("GET", known.url) as response,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(take_turns)
            async for piece in response.aiter_bytes():
                pieces.append(len(piece))
            tasks.cancel_scope.cancel()
    assert sum(pieces) == 16 * MIB
    assert max(pieces) <= 64 * 1024
    # The other task saw nearly every piece come by: it was never kept waiting for many.
    assert len(set(turns)) > len(pieces) * 0.9


@contextmanager
def tls_server(
    directory: Path, name: str, answer: Callable[[], bytes] = lambda: http(200, b"safe")
) -> Generator[tuple[int, list[str | None], bytes]]:
    """One TLS handshake after another with a certificate of its own making, in a thread."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    ).public_bytes(serialization.Encoding.PEM)
    path = directory / "server.pem"
    path.write_bytes(
        certificate
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    asked: list[str | None] = []
    context.sni_callback = lambda _, asked_for, __: asked.append(asked_for)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    accepted, _ = listener.accept()
                except OSError:
                    return
                try:
                    with context.wrap_socket(accepted, server_side=True) as stream:
                        stream.recv(65536)
                        stream.sendall(answer())
                except OSError:
                    continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1], asked, certificate
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)


async def test_tls_asks_for_the_name_and_believes_only_trusted_certificates(
    tmp_path: Path,
) -> None:
    async def here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with tls_server(tmp_path, "nas.local") as (port, asked, certificate):
        url = f"https://nas.local:{port}/mcp"
        with pytest.raises(Unavailable) as caught:
            await fetch(url, resolve=here)
        trusting = ssl.create_default_context(cadata=certificate.decode())
        assert (await fetch(url, resolve=here, tls=trusting)).content == b"safe"
        with pytest.raises(Unavailable) as other:
            await fetch(f"https://other.local:{port}/mcp", resolve=here, tls=trusting)
    assert caught.value.code == other.value.code == "SERVER_UNREACHABLE"
    assert "certificate" in caught.value.facts["reason"]
    assert asked == ["nas.local", "nas.local", "other.local"]
