"""`toolweave call SERVER TOOL`: one call through the gate."""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Protocol

import anyio
import click

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.elicitation import ask_on_terminal
from toolweave.cli.results import as_dict, print_result
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import is_terminal, json_option, print_json, say
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject, read
from toolweave.problems import how_many
from toolweave.servers.questions import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.check import check_arguments
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.tool import ToolCall, ToolProgress, ToolResult

SHOWN_WORDS = 40
# How long to wait for an interrupted call to be cancelled.
GRACE_S = 1.0


def _checked_pairs(
    _ctx: click.Context, _parameter: click.Parameter, pairs: tuple[str, ...]
) -> tuple[str, ...]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise click.BadParameter(f"{pair!r} is not in the form NAME=VALUE")
    return pairs


def _object(_ctx: click.Context, _parameter: click.Parameter, given: str | None) -> JsonObject:
    if given is None:
        return {}
    try:
        value = read(_text(given))
    except Invalid as error:
        raise click.BadParameter(error.message) from None
    if not isinstance(value, dict):
        raise click.BadParameter('expected a JSON object: {"name": value, …}')
    return value


def _text(given: str) -> str | bytes:
    if given == "-":
        return sys.stdin.buffer.read()
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_bytes()
    except OSError as error:
        raise click.BadParameter(f"{given[1:]!r} cannot be read: {error.strerror}") from None


@click.command()
@click.argument("server")
@click.argument("tool")
@click.option(
    "--arg",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_checked_pairs,
    help="One argument; repeatable.",
)
@click.option(
    "--args",
    "given",
    metavar="JSON",
    callback=_object,
    help="All arguments as a JSON object; @FILE or - reads them from there.",
)
@click.option("--timeout", type=click.FloatRange(min=0.001), help="Deadline in seconds.")
@click.option(
    "--save-to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Directory for images and other files of the result; default: the current one.",
)
@json_option
def call(
    server: str,
    tool: str,
    pairs: tuple[str, ...],
    given: JsonObject,
    timeout: float | None,
    save_to: Path,
    as_json: bool,
) -> int:
    """Call one tool of a server.

    Arguments are checked before anything is sent; all problems are listed at once.
    Use dots for nested values: --arg address.city=Oslo. Ctrl-C also cancels the call on
    the server.
    """

    async def work() -> ToolResult:
        async with current_home() as home, open_studio(home) as studio:
            arguments = await _with_pairs(studio, server, tool, given, pairs, timeout)
            request = ToolCall(
                server=server, tool=tool, arguments=arguments, scope="cli", deadline_s=timeout
            )
            with _Watching(quiet=as_json) as watching:
                asker = watching.ask if sys.stdin.isatty() and not as_json else None
                try:
                    return await studio.gate.call(request, on_progress=watching.hear, asker=asker)
                except anyio.get_cancelled_exc_class():
                    await _let_it_hear(studio, server)
                    raise

    result = run(work)
    if as_json:
        print_json(as_dict(result))
    else:
        print_result(result, tool, save_to)
    return 1 if result.is_error else 0


async def _with_pairs(
    studio: Studio,
    server: str,
    name: str,
    given: JsonObject,
    pairs: tuple[str, ...],
    timeout: float | None,
) -> JsonObject:
    if not pairs:
        return given
    deadline_s = timeout or studio.home.settings.limits.call_deadline_s
    listed = await studio.gate.tools(server, deadline_s=deadline_s)
    tools = {tool.name: tool for tool in listed}
    tool = tools.get(name)
    if tool is None:
        return given  # the gate reports it
    coerced, problems = coerce_arguments(tool, pairs)
    arguments = {**given, **coerced}
    if problems:
        told = {problem.pointer for problem in problems}
        problems += [one for one in check_arguments(tool, arguments) if one.pointer not in told]
        message = f"the arguments of {name!r} have {how_many(problems)}"
        raise Invalid("MCP_ARGUMENTS_INVALID", message, problems=problems)
    return arguments


async def _let_it_hear(studio: Studio, server: str) -> None:
    """Wait for a ping sent after the cancellation; its answer shows that the server got both."""
    with (
        anyio.CancelScope(shield=True),
        anyio.move_on_after(GRACE_S),
        suppress(ToolweaveError),
    ):
        live = await studio.connections.use(await studio.home.registry.get(server))
        await live.connection.ping()


class _Bar(Protocol):
    """The bar of `progress_bar`, which loads what draws on a terminal."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def show(self, done: float, total: float | None, words: str, count: str) -> None: ...


class _Watching:
    """Progress on stderr: a bar on a terminal, plain lines elsewhere, nothing when quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: _Bar | None = None
        if not quiet and is_terminal(stderr=True):
            self._bar = import_module("toolweave.cli.progress_bar").CallBar()

    def __enter__(self) -> "_Watching":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    async def hear(self, progress: ToolProgress) -> None:
        """Show the progress of the call."""
        words = visible(" ".join((progress.message or "working").split()), one_line=True)
        total = f"/{progress.total:g}" if progress.total is not None else ""
        count = f"{progress.done:g}{total}"
        if self._bar is not None:
            self._bar.show(progress.done, progress.total, words[:SHOWN_WORDS], count)
        elif not self._quiet:
            say(f"{count} {words}", stderr=True)

    async def ask(self, question: ElicitationQuestion) -> ElicitationAnswer:
        """Ask the person a question while the bar is hidden."""
        if self._bar is None:
            return await ask_on_terminal(question)
        self._bar.stop()
        answer = await ask_on_terminal(question)
        self._bar.start()
        return answer
