"""`toolweave.lock.json`: the tool definitions a person approved, for keeping in git.

A tool may be called only while the server lists it exactly as it is here.
"""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolweave.errors import Invalid
from toolweave.json_text import JsonObject, read, write
from toolweave.tools.difference import Change, DifferenceKind, difference
from toolweave.tools.tool import Tool, tool_hash

NAME = "toolweave.lock.json"


class Pin(BaseModel):
    """One approved tool: the hash that is compared, and the definition it stands for."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    hash: str
    definition: dict[str, Any]  # Any: a raw definition, kept as it came


class _Pins(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    tools: dict[str, Pin] = Field(default_factory=dict[str, Pin])


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    lockfile_version: int = Field(alias="lockfileVersion", default=1)
    servers: dict[str, _Pins] = Field(default_factory=dict[str, _Pins])


@dataclass(frozen=True, slots=True)
class Drift:
    """One tool that is not as it was approved."""

    tool: str
    kind: DifferenceKind
    changes: tuple[Change, ...]


class Lockfile:
    """Reads and writes the file; an absent file pins nothing, so nothing may be called."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read_as: tuple[int, int] | None = None
        self._servers: dict[str, _Pins] = {}

    def pins(self, server: str) -> dict[str, Pin]:
        """The approved tools of `server`, by name."""
        return self._load().get(server, _Pins()).tools

    def pin(self, server: str, tools: Iterable[Tool]) -> None:
        """Approve exactly `tools` for `server`; pins of tools it no longer has are dropped."""
        pins = {tool.name: Pin(hash=tool_hash(tool), definition=tool.raw) for tool in tools}
        self._save(self._load() | {server: _Pins(tools=pins)})

    def unpin(self, server: str) -> None:
        """Forget `server`."""
        servers = dict(self._load())
        if servers.pop(server, None) is not None:
            self._save(servers)

    def drift(self, server: str, tools: Iterable[Tool]) -> list[Drift]:
        """How what `server` lists now differs from what was approved."""
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
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            self._read_as, self._servers = None, {}
            return self._servers
        seen = (stat.st_mtime_ns, stat.st_size)
        if seen != self._read_as:
            self._servers = self._parse()
            self._read_as = seen
        return self._servers

    def _parse(self) -> dict[str, _Pins]:
        try:
            file = _File.model_validate(read(self.path.read_bytes()))
        except (ValidationError, Invalid, OSError) as error:
            reason = error.message if isinstance(error, Invalid) else type(error).__name__
            raise Invalid(
                "LOCKFILE_INVALID",
                f"{self.path.name} cannot be read: {reason}",
                hint="restore it from git, or delete it and approve the servers' tools again",
            ) from None
        if file.lockfile_version != 1:
            raise Invalid(
                "LOCKFILE_INVALID",
                f"{self.path.name} has version {file.lockfile_version}; this release reads 1",
            )
        return file.servers

    def _save(self, servers: dict[str, _Pins]) -> None:
        body = {
            "lockfileVersion": 1,
            "servers": {
                name: {
                    "tools": {
                        tool: {"hash": pin.hash, "definition": pin.definition}
                        for tool, pin in sorted(pins.tools.items())
                    }
                }
                for name, pins in sorted(servers.items())
            },
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".toolweave-lock-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(write(body, pretty=True) + "\n")
        os.replace(temporary, self.path)
        self._read_as = None


def _drift(tool: str, old: JsonObject | None, new: JsonObject | None) -> Drift:
    found = difference(old, new)
    return Drift(tool, found.kind, found.changes)
