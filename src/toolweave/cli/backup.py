"""`toolweave backup`: write this home to one file, safe while it is in use."""

import io
import os
import shutil
import sys
import tarfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from toolweave.cli.terminal import json_option, tell
from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.home import DATABASE_NAME, WORKFLOWS
from toolweave.settings import Settings, from_environment, lockfile_path
from toolweave.storage.backup import copy_database
from toolweave.storage.files import put_new, sync_folder

if sys.platform != "win32":
    import fcntl


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
        raise _taken(file)
    names = _write(settings, file)
    tell(
        as_json,
        {"file": str(file), "bytes": file.stat().st_size, "files": names},
        f"Wrote {file} ({file.stat().st_size:,} bytes): {', '.join(names)}",
    )


def _write(settings: Settings, file: Path) -> list[str]:
    """Write the archive; an incomplete file is removed."""
    try:
        with _unfinished(file) as folder:
            copy, whole = folder / DATABASE_NAME, folder / "archive"
            copy_database(settings.home / DATABASE_NAME, copy)
            lockfile = lockfile_path(settings, settings.home)
            with whole.open("xb") as private:
                os.chmod(whole, 0o600)
                with tarfile.open(fileobj=private, mode="w:gz") as archive:
                    archive.add(copy, DATABASE_NAME)
                    names = [DATABASE_NAME, *_add(archive, settings.home / WORKFLOWS)]
                    names += _add(archive, lockfile)
                private.flush()
                os.fsync(private.fileno())
            put_new(str(whole), file)
        sync_folder(file.parent)
    except FileExistsError:
        raise _taken(file) from None
    except OSError as error:
        message = f"{str(file)!r} cannot be written: {error.strerror or error}"
        raise Unavailable("FILE_UNWRITABLE", message) from None
    return names


def _taken(file: Path) -> Conflict:
    return Conflict("FILE_EXISTS", f"{str(file)!r} already exists", hint="choose another name")


@contextmanager
def _unfinished(file: Path) -> Generator[Path]:
    """A private folder beside the file; one that a killed backup left is removed first."""
    folder = file.with_name(f".{file.name}.part")
    if folder.exists():
        with _held(folder):
            shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    try:
        with _held(folder):
            yield folder
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)


@contextmanager
def _held(folder: Path) -> Generator[None]:
    """Hold the folder of a backup. Raises `Conflict`: another process does."""
    if sys.platform == "win32":  # a file in use cannot be removed there
        yield
        return
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        message = f"another backup is being written to {folder.name[1:-5]!r}"
        raise Conflict("FILE_EXISTS", message, hint="wait for it, or choose another name") from None
    finally:
        os.close(held)


def _add(archive: tarfile.TarFile, part: Path) -> list[str]:
    """Add a file, or those of a folder, each as it is at one moment; return its name.

    A file is read before its size is written: another process may replace or delete it meanwhile.
    """
    for path in _files(part):
        with suppress(FileNotFoundError):
            data = path.read_bytes()
            entry = tarfile.TarInfo(str(path.relative_to(part.parent).as_posix()))
            entry.size, entry.mode, entry.mtime = len(data), 0o600, int(path.stat().st_mtime)
            archive.addfile(entry, io.BytesIO(data))
    return [part.name] if part.exists() else []


def _files(part: Path) -> Iterator[Path]:
    for path in sorted(part.rglob("*")) if part.is_dir() else [part]:
        is_temporary = path.name.startswith(".") and path.suffix == ".tmp"
        if path.is_file() and not path.is_symlink() and not is_temporary:
            yield path
