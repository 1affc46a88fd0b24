"""The resource `stores`: several processes on one folder, and Redis over TLS."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.tls import TLSListener, TLSStream
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.nodes.memory.conftest import Secrets
from tests.nodes.memory.running import Memory

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.errors import Unavailable
from toolweave.json_text import JsonObject
from toolweave.resources import stores as stores_module
from toolweave.resources.stores import open_stores
from toolweave.storage.database import Database
from toolweave.storage.lock import hold
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

FILE: JsonObject = {"storage_backend": "file", "connection_config": {"path": "a.json"}}
REDIS: JsonObject = {"storage_backend": "redis", "connection_config": {"url": "${vault:redis}"}}


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for this machine that only itself vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "redis")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = tmp_path / "redis.pem"
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


@asynccontextmanager
async def tls_server(certificate: Path) -> AsyncGenerator[str]:
    """A server that has no value for anybody, over TLS."""

    async def serve(client: TLSStream) -> None:
        async with client:
            await client.receive()
            await client.send(b"$-1\r\n")

    async def failed(_error: BaseException, client: SocketStream) -> None:
        await anyio.aclose_forcefully(client)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    listener = TLSListener(plain, context, standard_compatible=False)
    listener.handle_handshake_error = failed  # pyright: ignore[reportAttributeAccessIssue] # quiet
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield f"rediss://127.0.0.1:{plain.extra(SocketAttribute.local_port)}"
        group.cancel_scope.cancel()
    await listener.aclose()


async def test_redis_is_spoken_to_over_tls(
    plain_memory: Memory,
    secrets: Secrets,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(stores_module, "default_tls", lambda: trusting)
    with anyio.fail_after(60):
        async with tls_server(certificate) as url:
            secrets.values["redis"] = url
            found = await plain_memory.keys("get", "a", config=REDIS)
    assert found["exists"] is False


async def test_a_certificate_nobody_vouches_for_is_refused(
    plain_memory: Memory, secrets: Secrets, certificate: Path
) -> None:
    with anyio.fail_after(60):
        async with tls_server(certificate) as url:
            secrets.values["redis"] = url
            with pytest.raises(Unavailable) as caught:
                await plain_memory.keys("get", "a", config=REDIS)
    assert caught.value.code == "REDIS_UNREACHABLE"


async def test_two_processes_change_one_file_in_turn(
    sqlite_database: Database, tmp_path: Path, secrets: Secrets, clock: FakeClock
) -> None:
    texts = SecretTexts(secrets, Masker())
    async with (
        open_stores(sqlite_database, tmp_path, texts) as first,
        open_stores(sqlite_database, tmp_path, texts) as second,
        anyio.create_task_group() as group,
    ):

        async def fill(memory: Memory, name: str) -> None:
            for number in range(10):
                await memory.keys("set", f"{name}{number}", number, config=FILE)

        group.start_soon(fill, Memory(first, clock), "a")
        group.start_soon(fill, Memory(second, clock), "b")
    async with open_stores(sqlite_database, tmp_path, texts) as third:
        found = await Memory(third, clock).keys("keys", config=FILE)
    assert found["keys"] == [f"{name}{number}" for name in "ab" for number in range(10)]


async def test_a_folder_that_stays_locked_is_told(
    plain_memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores_module, "LOCK_DEADLINE_S", 0.05)
    with (
        hold(tmp_path / "home" / "memory" / ".lock"),
        anyio.fail_after(60),
        pytest.raises(Unavailable) as caught,
    ):
        await plain_memory.keys("set", "a", 1, config=FILE)
    assert caught.value.code == "STORAGE_IN_USE"
