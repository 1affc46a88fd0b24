"""`toolweave.lock.json`: the approved tool definitions, to be stored in git.

A tool can be called only while the server lists it exactly as pinned here. A file outside the home
pins nothing until its content was approved (`lockfile_trust.py`).
"""

import os
import sys
import time
import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio.to_thread

from toolweave.errors import Conflict, Denied, Invalid, Unavailable
from toolweave.json_text import Json, JsonObject, read, write
from toolweave.servers.lockfile_trust import LockfileApproval, LockfileTrust, content_hash
from toolweave.storage.files import sync_folder
from toolweave.tools.difference import DifferenceKind, ToolChange, difference
from toolweave.tools.tool import Tool, tool_hash

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FRESH_S = 0.1


@dataclass(frozen=True, slots=True)
class Pin:
    """One approved tool: its definition and the hash that is compared."""

    hash: str
    definition: dict[str, Any]  # Any: a raw definition, kept unchanged


@dataclass(frozen=True, slots=True)
class _Pins:
    description: str | None = None
    # What the server offered beside its tools when it was approved: `resources`, `prompts`.
    offers: tuple[str, ...] = ()
    tools: dict[str, Pin] = field(default_factory=dict[str, Pin])
    # The approved skills by address, as `skill_entry.py` writes them.
    skills: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])


@dataclass(frozen=True, slots=True)
class Drift:
    """One tool that differs from the approved definition."""

    tool: str
    kind: DifferenceKind
    changes: tuple[ToolChange, ...]


@dataclass(frozen=True, slots=True)
class LockfileReview:
    """What a lockfile pins, and whether that counts here."""

    path: Path
    hash: str
    is_approved: bool
    # Of an earlier content, if it is not approved now; `None` for the home's own file.
    approval: LockfileApproval | None
    tools: dict[str, list[str]]


class Lockfile:
    """Reads and writes the file; a missing file pins nothing, so no tool can be called.

    Raises (every method):
        Invalid: `LOCKFILE_INVALID`.
    """

    def __init__(self, path: Path, trust: LockfileTrust | None = None) -> None:
        self.path = path
        # Nothing for the home's own file, which only approvals write.
        self._trust = trust
        self._is_approved = True
        self._read_as: tuple[int, ...] | None = None
        self._looked_at = -FRESH_S
        self._servers: dict[str, _Pins] = {}

    async def refresh(self) -> None:
        """Refresh `known_pins` if the file has changed; read in a thread, as it may be large."""
        now = time.monotonic()
        if now - self._looked_at < FRESH_S:
            return
        if self._seen() != self._read_as:
            await anyio.to_thread.run_sync(self._load)
        self._looked_at = now

    def known_pins(self, server: str) -> dict[str, Pin]:
        """Return the approved tools of `server` as of the last refresh, without file access."""
        pins = self._servers.get(server)
        return pins.tools if pins is not None else {}

    def pins(self, server: str) -> dict[str, Pin]:
        """Return the approved tools of `server` by name."""
        self._load()
        return self.known_pins(server)

    def description(self, server: str) -> str | None:
        """Return the instructions of `server` at the time of approval."""
        pins = self._load().get(server)
        return pins.description if pins is not None else None

    def offers(self, server: str) -> tuple[str, ...]:
        """Return what `server` offered beside its tools at the time of approval."""
        pins = self._load().get(server)
        return pins.offers if pins is not None else ()

    def skills(self, server: str) -> dict[str, JsonObject]:
        """Return the approved skills of `server` by address."""
        pins = self._load().get(server)
        return pins.skills if pins is not None else {}

    def pin_skills(self, server: str, skills: dict[str, JsonObject]) -> None:
        """Approve exactly these skills. Raises `LOCKFILE_NOT_SAVED`, `LOCKFILE_UNAPPROVED`."""
        with self._alone():
            known = self._load()
            self._save(known | {server: replace(known.get(server, _Pins()), skills=skills)})

    def stamp(self) -> str:
        """Return a text that changes with every write to the file."""
        return repr(self._seen())

    def review(self) -> LockfileReview | None:
        """Return what the file pins, approved or not; `None` if there is no file."""
        if self._seen() is None:
            return None
        content, servers = self._parse()
        approval = self._trust.of(self.path) if self._trust else None
        return LockfileReview(
            path=self.path,
            hash=content_hash(content),
            is_approved=self._counts(content, servers),
            approval=approval,
            tools={name: sorted(pins.tools) for name, pins in sorted(servers.items())},
        )

    def approve(self, shown_hash: str, *, by: str, at: str) -> None:
        """Accept the content with this hash. Raises `Conflict`: `LOCKFILE_CHANGED`."""
        shown = self.review()
        if shown is None or shown.hash != shown_hash:
            raise Conflict(
                "LOCKFILE_CHANGED",
                f"{self.path.name} changed after it was shown",
                hint="review it again with `toolweave servers approve --lockfile`",
            )
        if self._trust is not None:
            approval = LockfileApproval(hash=shown_hash, approved_by=by, approved_at=at)
            self._trust.approve(self.path, approval)

    def require_approved(self) -> None:
        """Raise unless the content counts here. Raises `Denied`: `LOCKFILE_UNAPPROVED`."""
        self._load()
        if not self._is_approved:
            raise Denied(
                "LOCKFILE_UNAPPROVED",
                f"the project's {self.path.name} was not approved here, or changed since",
                hint="review it with `toolweave servers approve --lockfile`",
                facts={"file": str(self.path)},
            )

    def pin(
        self,
        server: str,
        tools: Iterable[Tool],
        *,
        description: str | None = None,
        offers: tuple[str, ...] = (),
    ) -> None:
        """Approve exactly `tools` for `server`; remove other pins.

        Raises `LOCKFILE_NOT_SAVED`, `LOCKFILE_UNAPPROVED`.
        """
        pins = {tool.name: Pin(hash=tool_hash(tool), definition=tool.raw) for tool in tools}
        with self._alone():
            known = self._load()
            skills = known.get(server, _Pins()).skills
            fresh = _Pins(description=description, offers=offers, tools=pins, skills=skills)
            self._save(known | {server: fresh})

    def unpin(self, server: str) -> None:
        """Remove all pins of `server`. Raises `Unavailable`: `LOCKFILE_NOT_SAVED`."""
        if server not in self._load():
            return
        with self._alone():
            self._save({name: pins for name, pins in self._load().items() if name != server})

    def drift(self, server: str, tools: Iterable[Tool]) -> list[Drift]:
        """Return how the current tools of `server` differ from the approved ones."""
        pins = self.pins(server)
        listed = {tool.name: tool for tool in tools}
        found = [
            _drift(name, pins[name].definition if name in pins else None, tool.raw)
            for name, tool in listed.items()
            if name not in pins or pins[name].hash != tool_hash(tool)
        ]
        found += [
            _drift(name, pin.definition, None) for name, pin in pins.items() if name not in listed
        ]
        return sorted(found, key=lambda change: change.tool)

    def _load(self) -> dict[str, _Pins]:
        seen = self._seen()
        if seen != self._read_as:
            content, servers = self._parse() if seen is not None else (b"", {})
            self._is_approved = self._counts(content, servers)
            self._servers = servers if self._is_approved else {}
            self._read_as = seen
        return self._servers

    def _counts(self, content: bytes, servers: dict[str, _Pins]) -> bool:
        """Whether the content is the home's own, approved, or pins nothing."""
        if self._trust is None or not servers:
            return True
        approval = self._trust.of(self.path)
        return approval is not None and approval.hash == content_hash(content)

    def _seen(self) -> tuple[int, ...] | None:
        """Return a fingerprint of the file and its approval; `None` if there is no file."""
        try:
            return _identity(self.path.stat()) + self._approval_stamp()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreadable(error.strerror or type(error).__name__) from None

    def _approval_stamp(self) -> tuple[int, ...]:
        return (self._trust.stamp() if self._trust else None) or ()

    def _parse(self) -> tuple[bytes, dict[str, _Pins]]:
        try:
            content = self.path.read_bytes()
            version, servers = _contents(read(content))
        except (_WrongForm, Invalid, OSError) as error:
            reason = error.message if isinstance(error, Invalid) else str(error)
            raise self._unreadable(reason or type(error).__name__) from None
        if version != 1:
            raise self._unreadable(f"its version is {version}; this release reads 1")
        for server, pins in servers.items():
            for name, pin in pins.tools.items():
                # A reviewer reads the definition; a different hash would approve something else.
                if tool_hash(Tool(server, name, "", {}, (), pin.definition)) != pin.hash:
                    raise self._unreadable(
                        f"the hash of tool {name!r} of server {server!r} is not that of its "
                        "definition"
                    )
        return content, servers

    def _unreadable(self, reason: str) -> Invalid:
        return Invalid(
            "LOCKFILE_INVALID",
            f"{self.path.name} cannot be used: {reason}",
            hint="restore it from git, or delete it and approve the servers again",
        )

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Lock the file against other processes, so that no pins are lost."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            held = _hold(self.path)
        except OSError as error:
            raise self._not_saved(error) from None
        try:
            self.require_approved()
            yield
        finally:
            os.close(held)

    def _save(self, servers: dict[str, _Pins]) -> None:
        body = {
            "lockfileVersion": 1,
            "servers": {
                name: {
                    **({"description": pins.description} if pins.description else {}),
                    **({"offers": list(pins.offers)} if pins.offers else {}),
                    "tools": {
                        tool: {"hash": pin.hash, "definition": pin.definition}
                        for tool, pin in sorted(pins.tools.items())
                    },
                    **({"skills": dict(sorted(pins.skills.items()))} if pins.skills else {}),
                }
                for name, pins in sorted(servers.items())
            },
        }
        text = write(body, pretty=True) + "\n"
        fresh = self.path.with_name(f".{self.path.name}.{uuid.uuid4().hex}.tmp")
        try:
            with fresh.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                seen = _identity(os.fstat(file.fileno()))
            os.replace(fresh, self.path)
            sync_folder(self.path.parent)
            if self._trust is not None:
                self._trust.renew(self.path, content_hash(text.encode()))
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise self._not_saved(error) from None
        self._servers, self._read_as = servers, seen + self._approval_stamp()

    def _not_saved(self, error: OSError) -> Unavailable:
        return Unavailable(
            "LOCKFILE_NOT_SAVED",
            f"{str(self.path)!r} cannot be written: {error.strerror or type(error).__name__}",
            hint="check free disk space and folder permissions, or set TOOLWEAVE_LOCKFILE",
        )


class _WrongForm(Exception):
    """The file is JSON, but no lockfile."""


def _contents(stored: Json) -> tuple[int, dict[str, _Pins]]:
    """Read the version and the pins of each server. Raises `_WrongForm`."""
    whole = _object(stored, "the file")
    version = whole.get("lockfileVersion", 1)
    if not isinstance(version, int):
        raise _WrongForm("`lockfileVersion` is no integer")
    servers = _object(whole.get("servers", {}), "`servers`")
    return version, {name: _pins(name, given) for name, given in servers.items()}


def _pins(server: str, stored: Json) -> _Pins:
    given = _object(stored, f"server {server!r}")
    description = given.get("description")
    if not isinstance(description, str | None):
        raise _WrongForm(f"the description of server {server!r} is no text")
    offers = given.get("offers", [])
    if not isinstance(offers, list) or not all(isinstance(one, str) for one in offers):
        raise _WrongForm(f"`offers` of server {server!r} is no list of texts")
    tools = _object(given.get("tools", {}), f"`tools` of server {server!r}")
    pins = {name: _pin(name, tool) for name, tool in tools.items()}
    skills = _object(given.get("skills", {}), f"`skills` of server {server!r}")
    entries = {uri: _object(one, f"skill {uri!r}") for uri, one in skills.items()}
    return _Pins(description, tuple(str(one) for one in offers), pins, entries)


def _pin(tool: str, stored: Json) -> Pin:
    given = _object(stored, f"tool {tool!r}")
    found = given.get("hash")
    if not isinstance(found, str):
        raise _WrongForm(f"tool {tool!r} has no hash")
    return Pin(found, _object(given.get("definition"), f"the definition of tool {tool!r}"))


def _object(value: Json, what: str) -> JsonObject:
    if not isinstance(value, dict):
        raise _WrongForm(f"{what} is no object")
    return value


def _identity(stat: os.stat_result) -> tuple[int, ...]:
    # Each save creates a new file, so two saves within one clock tick differ as well.
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _hold(path: Path) -> int:
    """Return a descriptor that holds the lock until it is closed; waits for the current owner.

    A file system without locks is used without one; otherwise nothing could be approved.
    """
    if sys.platform == "win32":
        held = os.open(path.with_name(f".{path.name}.guard"), os.O_RDWR | os.O_CREAT)
        with suppress(OSError):
            msvcrt.locking(held, msvcrt.LK_LOCK, 1)
        return held
    # The folder itself, so that no lock file is left in a project.
    held = os.open(path.parent, os.O_RDONLY)
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX)
    return held


def _drift(tool: str, old: JsonObject | None, new: JsonObject | None) -> Drift:
    found = difference(old, new)
    return Drift(tool, found.kind, found.changes)
