"""The studio's API key: created once per home, in a file that only the user can read."""

import os
import socket
from contextlib import suppress
from pathlib import Path

import anyio.to_thread

from toolweave.access.keys import STUDIO, ApiKeys
from toolweave.cli.studio_protocol import KEY_FILE
from toolweave.errors import ToolweaveError
from toolweave.storage.files import write_private


async def studio_key(keys: ApiKeys, home: Path, *, is_shared: bool = False) -> str | None:
    """Return the studio's key, a new one if needed; `None` if it cannot be stored.

    Where homes share a database, each has a key of its own.
    """
    path = home / KEY_FILE
    name = f"{STUDIO}@{socket.gethostname()}:{home}" if is_shared else STUDIO
    text = await anyio.to_thread.run_sync(_read, path)
    if text is not None and await keys.check(text) is not None:
        return text
    try:
        await _revoke_older(keys, name)
        _, text = await keys.create(name, ["admin"])
        await anyio.to_thread.run_sync(_write, path, text)
    except (OSError, ToolweaveError):
        return None
    return text


async def _revoke_older(keys: ApiKeys, name: str) -> None:
    """Revoke keys whose file is gone or was readable by others."""
    for key in await keys.list():
        if key.name == name and "admin" in key.scopes and key.revoked_at is None:
            await keys.revoke(key.id)


def _read(path: Path) -> str | None:
    with suppress(OSError):
        is_private = os.name != "posix" or not path.stat().st_mode & 0o077
        text = path.read_bytes().decode("ascii", "replace").strip()
        return text if is_private and text else None
    return None


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    write_private(path, text + "\n")
