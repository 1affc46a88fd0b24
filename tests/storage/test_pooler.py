"""Postgres behind PgBouncer: a session pool works, a transaction pool is refused at start."""

import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import anyio
import pytest
from psycopg.conninfo import conninfo_to_dict

from storage.postgres import Postgres
from toolweave.errors import Invalid
from toolweave.storage.database import open_database

PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("postgres"),
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed"),
]


@contextmanager
def pooled(postgres: Postgres, folder: Path, *settings: str) -> Generator[str]:
    """The address of a new database through a pooler."""
    given = conninfo_to_dict(postgres.new_database())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    lines = [
        *("[databases]", f"* = host={given['host']} user={given['user']}", "[pgbouncer]"),
        *(
            "listen_addr = 127.0.0.1",
            f"listen_port = {port}",
            "unix_socket_dir =",
            "auth_type = any",
        ),
        *settings,
    ]
    file = folder / "pgbouncer.ini"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert PROGRAM is not None
    # It does not run as root, and the folder of this test is root's own.
    with file.open("rb") as text:
        process = subprocess.Popen([PROGRAM, "-q", "/dev/stdin"], stdin=text, user=postgres.user)
    try:
        _until_open(port)
        yield f"postgresql://{given['user']}@127.0.0.1:{port}/{given['dbname']}"
    finally:
        process.kill()
        process.wait()


def _until_open(port: int) -> None:
    until = monotonic() + 10
    while monotonic() < until:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.02)
    raise AssertionError("pgbouncer does not listen")


@pytest.mark.parametrize("options", ["", "ignore_startup_parameters = options"])
async def test_a_session_pool_works_and_a_transaction_pool_is_refused(
    postgres: Postgres, tmp_path: Path, options: str
) -> None:
    with (
        pooled(postgres, tmp_path, "pool_mode = session", options) as address,
        anyio.fail_after(60),
    ):
        async with open_database(address) as database:
            await database.execute("CREATE TABLE kept (n BIGINT)")
            await database.execute("INSERT INTO kept VALUES (?)", 7)
            assert await database.rows("SELECT n FROM kept") == [(7,)]
    with (
        pooled(postgres, tmp_path, "pool_mode = transaction", options) as address,
        anyio.fail_after(60),
        pytest.raises(Invalid) as caught,
    ):
        async with open_database(address):
            pass
    assert caught.value.code == "SETTING_INVALID"
    assert "transaction mode" in caught.value.message
    assert "pool_mode = session" in str(caught.value.hint)
