"""The interface of a client in this folder, and the servers it yields."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from toolweave.problems import Problem
from toolweave.servers.definition import Definition, Scope
from toolweave.servers.discovery.locations import ClientLocations


@dataclass(frozen=True, slots=True)
class ConfigOrigin:
    """The location of an entry: scope, file, and JSON pointer."""

    scope: Scope
    path: Path
    pointer: str


@dataclass(frozen=True, slots=True)
class DiscoveredServer:
    """A server in a client's file; listed even when its entry cannot be read."""

    name: str
    scope: Scope
    client: str
    path: Path
    pointer: str
    definition: Definition | None
    problems: tuple[Problem, ...] = ()
    disabled: bool = False  # disabled in the client
    shadowed_by: ConfigOrigin | None = None  # the entry or file that hides it from the client

    @property
    def origin(self) -> ConfigOrigin:
        """The location as text."""
        return ConfigOrigin(self.scope, self.path, self.pointer)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A client's file that cannot be read, or only leniently (a warning)."""

    client: str
    path: Path
    problem: Problem


@runtime_checkable
class Client(Protocol):
    """Another MCP client whose configuration can be read."""

    @property
    def name(self) -> str:
        """The display name."""
        ...

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Return its servers, nearest first within a scope; an invalid file never raises."""
        ...
