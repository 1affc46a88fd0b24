"""The interface of a runner: from an approved definition to the exact process to start.

A runner only decides the argv; the stdio transport starts the process, and the guardian
stops it if this process dies.
"""

import secrets
from dataclasses import dataclass, field, replace
from typing import Protocol

from toolweave.servers.definition import Definition, RunnerName


@dataclass(frozen=True, slots=True)
class Launch:
    """The exact process: shown for approval, then started unchanged."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    container: str | None = None  # the container to remove when the server stops

    def renamed(self) -> "Launch":
        """Return the same process with a container name that nobody else uses."""
        name = f"{self.container}-{secrets.token_hex(4)}"
        old = f"--name={self.container}"
        argv = tuple(f"--name={name}" if word == old else word for word in self.argv)
        return replace(self, argv=argv, container=name)


class Runner(Protocol):
    """One way to start a server."""

    name: RunnerName

    def missing(self) -> str | None:
        """Return why this machine cannot use it and what to do; `None` if it can."""
        ...

    def launch(self, definition: Definition, *, server_name: str, env: dict[str, str]) -> Launch:
        """Return the process for `definition`, with `env` already expanded."""
        ...
