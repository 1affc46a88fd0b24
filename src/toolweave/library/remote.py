"""Addresses and refs of repositories, validated by an allow-list.

An address is passed to the git program, where some texts would be options or commands; so only a
few plain forms are accepted, and no password, which would end up in files and logs.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from toolweave.errors import Invalid
from toolweave.patterns import pattern

Protocol = Literal["https", "ssh", "file"]

MAX_ADDRESS = 2_000
_SCP = pattern(r"(?:[A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!//)[\w~./][\w~./@+-]*")
_HOST = pattern(r"[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]")
_REF = pattern(r"[A-Za-z0-9_][\w./@+-]{0,199}", re.ASCII)
_SHORT_COMMIT = pattern(r"[0-9a-f]{7,63}")
_COMMIT = pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_FORMS = "https://host/path, ssh://host/path, user@host:path, or a folder of this machine"


@dataclass(frozen=True, slots=True)
class Remote:
    """An address that may be passed to git."""

    url: str
    protocol: Protocol

    @property
    def host(self) -> str:
        """The host and port of an https address."""
        return urlsplit(self.url).netloc.rpartition("@")[2] if self.protocol == "https" else ""


def read_remote(text: str, folder: Path) -> Remote:
    """Parse the address of a repository; a path is relative to `folder`."""
    if not text or len(text) > MAX_ADDRESS or not text.isprintable() or text.startswith("-"):
        raise _wrong(text, "it is not the address of a repository")
    if "::" in text:
        raise _wrong(text, "git remote helpers are not allowed")
    if _SCP.fullmatch(text) and not os.path.exists(folder / text):
        return Remote(text, "ssh")
    scheme, found, _ = text.partition("://")
    if found and scheme in ("https", "ssh"):
        return _network(text)
    if found and scheme != "file":
        raise _wrong(text, f"{scheme!r} is not a supported scheme")
    try:
        path = Path(urlsplit(text).path if found else text).expanduser()
        resolved = (folder / path).resolve()
        is_folder = resolved.is_dir()
    except (OSError, RuntimeError, ValueError):  # too long, a loop of links, no such user
        is_folder, resolved = False, folder
    if not is_folder:
        raise _wrong(text, "the folder does not exist")
    return Remote(str(resolved), "file")


def read_ref(text: str) -> str:
    """Validate a branch, a tag or a full commit id. Raises `LIBRARY_REF_INVALID`."""
    parts = text.split("/")
    is_odd = ".." in text or "@{" in text or text.endswith(".")
    is_odd |= any(not part or part.startswith(".") or part.endswith(".lock") for part in parts)
    if is_odd or not _REF.fullmatch(text):
        raise Invalid(
            "LIBRARY_REF_INVALID",
            f"{text[:100]!r} is not a ref; expected a branch, a tag or a commit's id",
        )
    return text


def read_name(text: str) -> str:
    """Validate the local name of a library. Raises `LIBRARY_NAME_INVALID`."""
    if not _NAME.fullmatch(text):
        raise Invalid(
            "LIBRARY_NAME_INVALID",
            f"{text[:100]!r} is not a library name; expected 1 to 64 letters, digits, '-' and '_'",
        )
    return text


def is_commit(ref: str) -> bool:
    """Whether a ref is a commit id."""
    return _COMMIT.fullmatch(ref) is not None


def may_be_commit(ref: str) -> bool:
    """Whether a ref may be the beginning of a commit's id."""
    return _SHORT_COMMIT.fullmatch(ref) is not None


def _network(text: str) -> Remote:
    try:
        parts = urlsplit(text)
        host, has_password = parts.hostname or "", parts.password is not None
        _ = parts.port
    except ValueError:
        raise _wrong(text, "it is not the address of a repository") from None
    if has_password:
        # Without the address, which contains the password.
        raise Invalid(
            "LIBRARY_ADDRESS_INVALID",
            "the address contains a password",
            hint="store a token with `toolweave secrets set git:HOST`, or use ssh with a key",
        )
    if not _HOST.fullmatch(host) and not _HOST.fullmatch(f"[{host}]"):
        raise _wrong(text, "its host cannot be read")
    return Remote(text, "https" if parts.scheme == "https" else "ssh")


def _wrong(text: str, why: str) -> Invalid:
    return Invalid(
        "LIBRARY_ADDRESS_INVALID", f"{text[:200]!r}: {why}", hint=f"expected is {_FORMS}"
    )
