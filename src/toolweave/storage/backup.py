"""A consistent copy of a SQLite database, even during writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from toolweave.errors import Conflict, NotFound, Unavailable

BUSY_TIMEOUT_S = 30.0


def copy_database(source: Path, target: Path) -> None:
    """Write a copy of the database at `source` to the new file `target`."""
    if not source.is_file():
        raise NotFound("STORAGE_BROKEN", f"there is no database at {str(source)!r}")
    if target.exists():
        raise Conflict("FILE_EXISTS", f"{str(target)!r} already exists")
    address = f"{source.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S)) as database:
            # One read transaction: later commits are not included.
            database.execute("VACUUM INTO ?", (str(target),))
        target.chmod(0o600)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise Unavailable("STORAGE_BROKEN", f"the database cannot be copied: {error}") from error
