"""The seam every runner fulfils: from an approved definition to the exact process to start.

A runner decides the argv and nothing else; the stdio transport starts it, the guardian sees
that nothing outlives us.
"""

from dataclasses import dataclass, field
from typing import Protocol

from toolweave.servers.definition import Definition, RunnerName


@dataclass(frozen=True, slots=True)
class Launch:
    """The exact process: shown to the person who approves, then started as it is."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    container: str | None = None  # the container to remove when the server stops


class Runner(Protocol):
    """One way to start a server."""

    name: RunnerName

    def missing(self) -> str | None:
        """Why this machine cannot use it, with what to do; `None` when it can."""
        ...

    def launch(self, definition: Definition, *, server_name: str, env: dict[str, str]) -> Launch:
        """The process for `definition`, with `env` already expanded."""
        ...
