"""New SQLite databases of tests are copies of one that has all tables.

To make the tables takes 20 ms, and thousands of tests need them. They are made in `tests/storage`,
where that is tested, and by the programs that tests start the plain way.
"""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import anyio

from toolweave.storage.database import open_database
from toolweave.storage.dialects import sqlite
from toolweave.storage.files import make_private_folder
from toolweave.storage.migrations import migrate

OURS = {"toolweave.db", "runs.db", "ours.db"}  # others are files of nodes


def make_tables(address: str) -> None:
    """Make the tables of a database, also where an event loop is running."""

    async def make() -> None:
        async with open_database(address) as database:
            await migrate(database)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, make).result()


class Template:
    """The file of a SQLite database with all tables."""

    def __init__(self) -> None:
        self.is_used = False
        self._data = b""
        self._create: Any = cast(Any, sqlite)._prepare

    def use(self) -> None:
        """Begin new SQLite databases of this process with it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "template.db")
            make_tables(f"sqlite:///{path}")
            self._data = path.read_bytes()
        cast(Any, sqlite)._prepare = self._prepare
        self.is_used = True

    def _prepare(self, address: str) -> tuple[Path, bool]:
        path = Path(address).expanduser().absolute()
        if self.is_used and path.name in OURS and not path.exists():
            with suppress(OSError):  # what creates an empty file reports it
                self._copy_to(path)
        return self._create(address)

    def _copy_to(self, path: Path) -> None:
        make_private_folder(path.parent)
        file, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(self._data)
            os.link(name, path)  # fails if another process was faster
        finally:
            os.unlink(name)


template = Template()
