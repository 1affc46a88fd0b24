"""The connection to Temporal: TLS, certificates of its own, and the API key."""

import logging
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.tls import TLSListener
from tests.engine.building import workflow
from tests.engine.temporal_server import TemporalServer
from tests.library.https_host import certificate
from tests.servers.rooms import ENVIRON
from tests.storage.postgres import Postgres

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.runs import RunRequest
from toolweave.engine.temporal import connection
from toolweave.engine.temporal.address import parse_address
from toolweave.engine.temporal.connection import RunWorkflows, connect
from toolweave.errors import Invalid, Unavailable
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.testing.unchecked import Unchecked

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

KEY = "k3y-of-nobody-0123456789"
CHAIN = workflow({"s": "start", "e": "end"}, ["s > e"])
TLS, PLAIN = b"\x16\x03", b"PRI * HTTP/2"


@pytest.fixture(autouse=True)
def _fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REPEAT_S", 0)


@asynccontextmanager
async def tls_proxy(target: str, server: Path, client: Path) -> AsyncGenerator[int]:
    """Accept TLS from those who have the client's certificate, and pass it on; the port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(client))
    context.load_cert_chain(server)
    context.set_alpn_protocols(["h2"])
    context.verify_mode = ssl.CERT_REQUIRED
    host, _, port = target.rpartition(":")

    async def copy(source: ByteStream, to: ByteStream, both: anyio.CancelScope) -> None:
        try:
            async for data in source:
                await to.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        both.cancel()

    async def pass_on(accepted: ByteStream) -> None:
        async with (
            accepted,
            await anyio.connect_tcp(host, int(port)) as behind,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(copy, accepted, behind, tasks.cancel_scope)
            tasks.start_soon(copy, behind, accepted, tasks.cancel_scope)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    secured = TLSListener(listener, context, standard_compatible=False)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(secured.serve, pass_on)
        yield listener.extra(SocketAttribute.local_port)
        tasks.cancel_scope.cancel()


async def test_a_client_with_certificates_is_served_and_one_without_is_not(
    temporal: TemporalServer, tmp_path: Path
) -> None:
    ours = certificate(tmp_path / "client")
    theirs = certificate(tmp_path / "server", is_ca=False)
    async with tls_proxy(temporal.target, theirs, ours) as port:
        place = f"temporal://127.0.0.1:{port}/default"
        address = parse_address(f"{place}?ca={theirs}&cert={ours}&key={ours}")
        client = await connect(address, KEY, lazy=False)
        assert client.service_client.config.api_key == KEY
        assert await RunWorkflows(client, address).describe("none") is None
        for options in (f"?ca={theirs}", f"?cert={ours}&key={ours}", "?tls=true", ""):
            with pytest.raises(Unavailable) as refused:
                await connect(parse_address(place + options), KEY, lazy=False)
            assert refused.value.code == "BACKEND_UNAVAILABLE"
            assert KEY not in refused.value.message


async def test_a_certificate_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    address = parse_address(f"temporal://127.0.0.1/default?ca={tmp_path}/none.pem")
    with pytest.raises(Invalid, match=r"none\.pem") as refused:
        await connect(address, None, lazy=True)
    assert refused.value.code == "SETTING_INVALID"


@pytest.mark.parametrize(
    ("source", "first"),
    [("vault", TLS), ("environment", TLS), ("nowhere", PLAIN)],
    ids=["vault", "environment", "nowhere"],
)
async def test_with_an_api_key_the_connection_is_encrypted_and_no_log_has_the_key(
    postgres: Postgres,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    source: str,
    first: bytes,
) -> None:
    caplog.set_level(logging.DEBUG)
    received: list[bytes] = []

    async def receive(stream: SocketStream) -> None:
        async with stream:
            received.append(await stream.receive())

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)
    settings = Settings(
        home=tmp_path,
        database=postgres.new_database(),
        backend=f"temporal://127.0.0.1:{port}/default",
    )
    if source == "environment":
        settings = replace(settings, backend_key=KEY)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, receive)
        async with open_home(settings, environ=ENVIRON, directory=tmp_path) as home:
            if source == "vault":
                await home.vault.put("backend_key", KEY)
            async with open_studio(home) as studio, open_engine(studio, checker=Unchecked()) as one:
                await one.runs.start(RunRequest(CHAIN, {}))
        tasks.cancel_scope.cancel()
    assert received
    assert all(data.startswith(first) for data in received)
    assert "cannot signal Temporal" in caplog.text
    assert KEY not in caplog.text + repr(settings)
