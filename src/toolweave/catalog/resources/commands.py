"""Registered commands that nodes may run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from toolweave.json_text import Json


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The exit code and output of a command; secrets are masked."""

    exit_code: int
    stdout: str
    stderr: str
    is_cut: bool


class CommandCaller(Protocol):
    """Runs commands that a user registered and approved."""

    async def run(
        self, name: str, values: Mapping[str, Json], *, stdin: str | None, deadline_s: float
    ) -> CommandResult:
        """Run a command until it exits; it is killed when the step ends.

        Raises:
            NotFound: `COMMAND_NOT_FOUND`.
            Denied: `COMMAND_NOT_APPROVED`.
            Invalid: `COMMAND_ARGUMENT_INVALID`.
            Unavailable: `COMMAND_START_FAILED`, `RUNNER_MISSING`.
            TimedOut: `COMMAND_TIMEOUT`.
        """
        ...
