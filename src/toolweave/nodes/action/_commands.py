"""What ACTION.RUN_COMMAND needs of the outside: a registered program, run. `app` provides it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from toolweave.json_text import Json

# The name under which a node finds its `CommandCaller`.
COMMANDS = "commands"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a program ended, and what it wrote; secrets in it are masked."""

    exit_code: int
    stdout: str
    stderr: str
    is_cut: bool


class CommandCaller(Protocol):
    """Runs programs that a person registered and approved."""

    async def run(
        self, name: str, values: Mapping[str, Json], *, stdin: str | None, deadline_s: float
    ) -> CommandResult:
        """Run a program to its end; it is ended with the step.

        Raises:
            NotFound: `COMMAND_NOT_FOUND`.
            Denied: `COMMAND_NOT_APPROVED`.
            Invalid: `COMMAND_ARGUMENT_INVALID`.
            Unavailable: `COMMAND_START_FAILED`, `RUNNER_MISSING`.
            TimedOut: `COMMAND_TIMEOUT`.
        """
        ...
