"""The location of the vault key: the variable, a private key file, or the keyring.

An existing key is searched in that order; a new one is stored in the keyring if there is a working
one, else in the file. The keyring has a deadline, because without a desktop it may hang.
"""

import asyncio
import base64
import binascii
import os
import secrets
import shlex
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol, TypeVar, cast

import anyio

from toolweave.errors import Denied, Invalid
from toolweave.storage.files import write_private

T = TypeVar("T")

VARIABLE = "TOOLWEAVE_VAULT_KEY"
FILE = "vault.key"
KEY_BYTES = 32
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where to search: the folder of the key file, and the value of `TOOLWEAVE_VAULT_KEY`."""

    home: Path
    given: str | None = field(default=None, repr=False)
    use_keyring: bool = True
    keyring_deadline_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Key:
    """A key and its origin, for messages."""

    value: bytes = field(repr=False)
    origin: str


class _Keyring(Protocol):
    def read(self) -> str | None: ...

    def write(self, text: str) -> bool: ...


async def find_key(source: KeySource) -> Key | None:
    """Return the existing key, if there is one."""
    if source.given:
        value = _decoded(source.given)
        if value is None:
            raise Invalid(
                "SETTING_INVALID",
                f"{VARIABLE} is not {KEY_BYTES} bytes in base64",
                hint="create a key with: openssl rand -base64 32",
            )
        return Key(value, f"the variable {VARIABLE}")
    kept = await anyio.to_thread.run_sync(_read_file, source.home / FILE)
    if kept or not source.use_keyring:
        return kept
    text = await _bounded(lambda: _keyring().read(), source.keyring_deadline_s)
    return _key(text, "the system's keyring") if text else None


async def create_key(source: KeySource) -> Key:
    """Create a key and store it for the next start."""
    text = base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()
    if source.use_keyring and await _bounded(
        lambda: _keyring().write(text), source.keyring_deadline_s
    ):
        return _key(text, "the system's keyring")
    try:
        return await anyio.to_thread.run_sync(_write_file, source.home / FILE, text)
    except OSError as error:
        raise Denied(
            "VAULT_KEY_MISSING",
            f"the vault key cannot be stored in {str(source.home)!r}: {error.strerror}",
            hint=f"make the folder writable, or set {VARIABLE}; create a key with: "
            "openssl rand -base64 32",
        ) from error


def _keyring() -> _Keyring:
    return cast(_Keyring, import_module("toolweave.access.keyring_key"))


async def _bounded(call: Callable[[], T], deadline_s: float) -> T | None:
    """Return the result of `call` within the deadline; `None` if it fails or hangs."""
    future: Future[T | None] = Future()
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            future.set_result(call())
        except Exception:
            # A backend is a third-party plug-in: any exception means "no keyring here".
            future.set_result(None)

    # A daemon thread, unlike those of a pool: one that hangs must not block exit.
    threading.Thread(target=work, name="toolweave-keyring", daemon=True).start()
    with anyio.move_on_after(deadline_s):
        return await asyncio.wrap_future(future)
    return None


def _read_file(path: Path) -> Key | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Denied(
            "VAULT_KEY_MISSING",
            f"the key file {str(path)!r} cannot be read: {error.strerror}",
            hint="it must be a regular file owned by the user that runs this program",
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        if os.name == "posix":
            _check_privacy(path, os.fstat(descriptor))
        return _key(file.read(1024).decode("ascii", "replace"), f"the key file {str(path)!r}")


def _check_privacy(path: Path, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & 0o077:
        hint = f"run: chmod 600 {shlex.quote(str(path))}"
    elif status.st_uid not in {os.geteuid(), 0}:
        hint = f"run: chown {os.geteuid()} {shlex.quote(str(path))}"
    else:
        return
    raise Denied(
        "VAULT_KEY_EXPOSED",
        f"the key file {str(path)!r} can be read by other users, who could decrypt the vault",
        hint=hint,
    )


def _write_file(path: Path, text: str) -> Key:
    """Store `text` in a new file; if another process was first, return its key."""
    with suppress(FileExistsError):
        write_private(path, text + "\n")
    kept = _read_file(path)
    if kept is None:
        raise FileNotFoundError(2, "the key file disappeared")
    return kept


def _key(text: str, origin: str) -> Key:
    value = _decoded(text)
    if value is None:
        raise Denied(
            "VAULT_KEY_WRONG",
            f"{origin} is not a valid key: expected {KEY_BYTES} bytes in base64",
            hint="restore it from a backup; a new key cannot decrypt existing secrets",
        )
    return Key(value, origin)


def _decoded(text: str) -> bytes | None:
    """Decode the key in `text`: base64 of either alphabet, with or without padding."""
    plain = text.strip().rstrip("=").replace("-", "+").replace("_", "/")
    try:
        value = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return value if len(value) == KEY_BYTES else None
