"""What a client's file in this folder fulfils, and what it yields."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from toolweave.problems import Problem
from toolweave.servers.definition import Definition, Scope
from toolweave.servers.discovery.locations import ClientLocations


@dataclass(frozen=True, slots=True)
class ConfigOrigin:
    """Where an entry stands: its scope, the file, and the JSON pointer inside it."""

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
    disabled: bool = False  # the client itself does not use it
    shadowed_by: ConfigOrigin | None = None  # the entry or file that hides it from the client

    @property
    def origin(self) -> ConfigOrigin:
        """Where it stands."""
        return ConfigOrigin(self.scope, self.path, self.pointer)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A client's file that cannot be read, or only with doubt (a warning)."""

    client: str
    path: Path
    problem: Problem


@runtime_checkable
class Client(Protocol):
    """Another MCP client whose configuration we can read."""

    @property
    def name(self) -> str:
        """What its users call it."""
        ...

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Its servers, nearest first within a scope; never raises because of a file."""
        ...
