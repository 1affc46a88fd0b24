"""`toolweave call SERVER TOOL`: one call through the gate."""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import click

from toolweave.cli.completion_values import server_names
from toolweave.cli.results import Result, print_result
from toolweave.cli.sanitize import visible
from toolweave.cli.studio_connection import (
    StudioConnection,
    StudioGone,
    connected_studio,
    stopped,
)
from toolweave.cli.studio_protocol import CallToolCommand
from toolweave.cli.terminal import is_terminal, json_option, print_json, say
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject, read

SHOWN_WORDS = 40
# How long to wait for the studio to cancel an interrupted call.
CANCEL_S = 2.0


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
@click.argument("server", shell_complete=server_names)
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

    command = CallToolCommand(
        server=server,
        tool=tool,
        arguments=given,
        pairs=list(pairs),
        timeout_s=timeout,
        can_ask=sys.stdin.isatty() and not as_json,
    )
    with connected_studio() as studio, _Watching(quiet=as_json) as watching:
        if studio is not None:
            result = _call_in(studio, command, watching)
        else:
            work = import_module("toolweave.cli.call_work")
            result = work.call_here(command, watching.show, watching.ask)
    if as_json:
        print_json(result)
    else:
        print_result(result, tool, save_to)
    return 1 if result["isError"] else 0


def _call_in(studio: StudioConnection, command: CallToolCommand, watching: "_Watching") -> Result:
    """Let the studio make the call."""
    try:
        studio.send("call", command)
        while True:
            name, *values = studio.receive()
            if name == "result":
                return values[0]
            if name == "ask":
                studio.send("answer", watching.answer(values[0]))
            elif name == "progress":
                watching.show(*values)
    except StudioGone:
        raise stopped(
            f"it is unknown whether the call of {command.tool!r} completed",
            "call it again if the tool may run twice; without a studio the command works alone",
        ) from None
    except KeyboardInterrupt:
        with suppress(StudioGone, ToolweaveError):
            studio.send("cancel")
            while studio.receive(CANCEL_S)[0] != "cancelled":
                pass
        raise


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

    def show(self, done: float, total: float | None, message: str | None) -> None:
        """Show the progress of the call."""
        words = visible(" ".join((message or "working").split()), one_line=True)
        count = f"{done:g}" if total is None else f"{done:g}/{total:g}"
        if self._bar is not None:
            self._bar.show(done, total, words[:SHOWN_WORDS], count)
        elif not self._quiet:
            say(f"{count} {words}", stderr=True)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Ask the person a question of the studio."""
        return import_module("toolweave.cli.elicitation").answer_question(question, self.ask)

    async def ask(self, question: Any) -> Any:
        """Ask the person a question while the bar is hidden."""
        ask_on_terminal = import_module("toolweave.cli.elicitation").ask_on_terminal
        if self._bar is None:
            return await ask_on_terminal(question)
        self._bar.stop()
        answer = await ask_on_terminal(question)
        self._bar.start()
        return answer
