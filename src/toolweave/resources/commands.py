"""Runs registered programs for nodes: the registry, the runners, the guardian and the masker."""

from collections.abc import Mapping

from toolweave.catalog.resources.commands import CommandResult
from toolweave.home import Home
from toolweave.json_text import Json
from toolweave.servers.command_run import CommandLimits, run_launch
from toolweave.servers.commands import (
    Commands,
    RegisteredCommand,
    fill_argument,
    reject_unknown_values,
)
from toolweave.servers.definition import Server, ServerId
from toolweave.servers.runners.runner import Launch
from toolweave.servers.transport_factory import TransportFactory

MAX_OUTPUT_BYTES = 1024 * 1024


class CommandRunner:
    """The resource `commands` of `ACTION.RUN_COMMAND`."""

    def __init__(self, home: Home, transports: TransportFactory) -> None:
        self._home = home
        self._transports = transports
        self._commands = Commands(home.database, home.clock)

    async def run(
        self, name: str, values: Mapping[str, Json], *, stdin: str | None, deadline_s: float
    ) -> CommandResult:
        """Run an approved program; see `CommandCaller`."""
        command = await self._commands.approved(name)
        reject_unknown_values(command, values)
        launch = await launch_of(self._transports, command)
        argv = _with_values(command, launch, values)
        data = None if stdin is None else stdin.encode()
        ran = await run_launch(
            Launch(argv, launch.env, launch.cwd),
            data,
            self._transports.guardian,
            CommandLimits(deadline_s, MAX_OUTPUT_BYTES),
        )
        mask = self._home.masker.mask_text
        return CommandResult(
            ran.exit_code,
            mask(ran.stdout.decode("utf-8", errors="replace")),
            mask(ran.stderr.decode("utf-8", errors="replace")),
            ran.is_cut,
        )


async def launch_of(transports: TransportFactory, command: RegisteredCommand) -> Launch:
    """Return the exact process, with its placeholders."""
    server = Server(
        id=ServerId(f"command:{command.name}"),
        name=command.name,
        definition=command.definition,
        created_at=command.created_at,
    )
    return await transports.launch(server)


def _with_values(
    command: RegisteredCommand, launch: Launch, values: Mapping[str, Json]
) -> tuple[str, ...]:
    """The program's own arguments come last, after those of the runner."""
    templates = command.definition.args
    first = len(launch.argv) - len(templates)
    own = zip(templates, launch.argv[first:], strict=True)
    return (
        *launch.argv[:first],
        *(fill_argument(template, text, values) for template, text in own),
    )
