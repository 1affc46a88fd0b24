"""`toolweave backup`: write this home to one file, safe while it is in use."""

import os
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

import click

from toolweave.cli.terminal import json_option, tell
from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.home import DATABASE_NAME, WORKFLOWS
from toolweave.settings import Settings, from_environment, lockfile_path
from toolweave.storage.backup import copy_database

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def backup(file: Path, as_json: bool) -> None:
    """Back up runs, servers, encrypted secrets, workflows and pinned tools to a new .tar.gz FILE.

    The vault key is not included: back it up separately. To restore, unpack into an empty home.
    """
    settings = from_environment()
    if settings.database:
        raise Invalid(
            "BACKUP_NOT_SQLITE",
            "the database is not a file in this home",
            hint="use pg_dump to back up Postgres while it is in use",
        )
    if file.exists():
        raise Conflict("FILE_EXISTS", f"{str(file)!r} already exists", hint="choose another name")
    names = _write(settings, file)
    tell(
        as_json,
        {"file": str(file), "bytes": file.stat().st_size, "files": names},
        f"Wrote {file} ({file.stat().st_size:,} bytes): {', '.join(names)}",
    )


def _write(settings: Settings, file: Path) -> list[str]:
    """Write the archive; an incomplete file is removed."""
    names: list[str] = []
    unfinished = file.with_name(f".{file.name}.part")
    try:
        with (
            tempfile.TemporaryDirectory(prefix="toolweave-") as folder,
            os.fdopen(os.open(unfinished, _NEW_FILE, 0o600), "wb") as private,
            tarfile.open(fileobj=private, mode="w:gz") as archive,
        ):
            copy = Path(folder) / DATABASE_NAME
            copy_database(settings.home / DATABASE_NAME, copy)
            parts = [copy, settings.home / WORKFLOWS, lockfile_path(settings, settings.home)]
            for part in parts:
                if part.exists():
                    archive.add(part, part.name)
                    names.append(part.name)
        unfinished.rename(file)
    except OSError as error:
        message = f"{str(file)!r} cannot be written: {error.strerror}"
        raise Unavailable("FILE_UNWRITABLE", message) from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return names
