"""`toolweave run`: run a workflow and show its progress."""

import signal
import sys
from base64 import b64encode
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

import click

from toolweave.cli.completion_values import workflow_names
from toolweave.cli.input_file import names_file, read_bytes
from toolweave.cli.inputs import read_inputs, read_value
from toolweave.cli.run_display import Display
from toolweave.cli.studio_connection import (
    StudioConnection,
    StudioGone,
    connected_studio,
    stopped,
)
from toolweave.cli.studio_protocol import RunWorkflowCommand
from toolweave.cli.terminal import json_option
from toolweave.json_text import JsonObject

EXIT_CODES = {"success": 0, "waiting": 0}


@click.command("run")
@click.argument("file", required=False, metavar="FILE", shell_complete=workflow_names)
@click.option("--input", "pairs", multiple=True, metavar="NAME=VALUE", help="One input.")
@click.option("--inputs", metavar="JSON", help="All inputs as a JSON object.")
@click.option("--from", "node", metavar="NODE", help="Start at this node of an earlier run.")
@click.option("--of", "old_run", metavar="RUN", help="The earlier run; `last` is the most recent.")
@click.option(
    "--set", "edits", multiple=True, metavar="POINTER=VALUE", help="Change an input of the node."
)
@click.option(
    "--recorded",
    is_flag=True,
    help="With --from: use recorded answers, and stop at the first request without one.",
)
@json_option
def run_workflow(
    file: str | None,
    pairs: tuple[str, ...],
    inputs: str | None,
    node: str | None,
    old_run: str | None,
    edits: tuple[str, ...],
    recorded: bool,
    as_json: bool,
) -> int:
    """Run a workflow, or rerun an earlier run from one of its nodes.

    FILE is a file of any dialect, `-` for standard input, or the name of a stored workflow. With
    --from it is the changed workflow; without it the earlier run's own is used.

    Questions of the run are asked at a terminal. Without one, and with --json, they are printed
    with the command that answers them, and the run waits for the answer until its time is over.
    """
    if bool(node) != bool(old_run) or not (file or node):
        raise click.UsageError("give a FILE, or --from NODE and --of RUN")
    if recorded and node is None:
        raise click.UsageError("--recorded continues an earlier run: give --from and --of")
    if node is not None and (pairs or inputs):
        raise click.UsageError("--set changes the input of the node; --input starts a new run")
    given = read_inputs(pairs, inputs)
    command = RunWorkflowCommand(
        file,
        given,
        _document(file),
        node,
        old_run,
        _operations(edits),
        recorded=recorded,
        can_ask=sys.stdin.isatty() and not as_json,
    )
    display = Display(as_json=as_json)
    code = _execute(command, display)
    if recorded and command.can_ask and display.unrecorded is not None:
        run, step = display.unrecorded
        if click.confirm(f"Continue live from {step!r}?", err=True):
            live = RunWorkflowCommand(None, {}, node=step, old_run=run, can_ask=True)
            return _execute(live, Display(as_json=as_json))
    return code


def _execute(command: RunWorkflowCommand, display: Display) -> int:
    with connected_studio() as studio:
        if studio is not None:
            status, was_interrupted = _run_in(studio, command, display)
        else:
            work = import_module("toolweave.cli.run_work")
            status, was_interrupted = work.run_here(command, display)
    return 130 if was_interrupted else EXIT_CODES.get(status, 1)


def _run_in(
    studio: StudioConnection, command: RunWorkflowCommand, display: Display
) -> tuple[str, bool]:
    """Let the studio run it; return the status, and whether Ctrl-C was pressed."""
    run: str | None = None
    interrupts: list[int] = []

    def interrupt() -> None:
        interrupts.append(1)
        display.stopping()
        with suppress(StudioGone):
            studio.send("cancel")

    try:
        studio.send("run", command)
        with _on_first_interrupt(interrupt):
            while True:
                name, *values = studio.receive()
                if name == "ask":
                    terminal = import_module("toolweave.cli.elicitation")
                    answer = terminal.answer_question(values[0], terminal.ask_on_terminal)
                    studio.send("answer", answer)
                    continue
                display.receive(name, *values)
                if name == "begin":
                    run = str(values[0])
                elif name == "end":
                    return str(values[0]), bool(interrupts)
    except StudioGone:
        if run is None:
            raise stopped(
                "it is unknown whether the run was started", "`toolweave runs list` shows the runs"
            ) from None
        raise stopped(
            f"run {run} is in its journal and continues when a studio or worker runs",
            f"`toolweave runs watch {run}` follows it, `toolweave runs resume {run}` continues it",
        ) from None


@contextmanager
def _on_first_interrupt(interrupt: Callable[[], None]) -> Generator[None]:
    """Call `interrupt` for the first Ctrl-C; the next one has its usual effect."""
    usual = signal.getsignal(signal.SIGINT)

    def handle(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, usual)
        interrupt()

    try:
        signal.signal(signal.SIGINT, handle)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _document(file: str | None) -> str | None:
    """The content of a file in base64; nothing for a stored workflow."""
    if file is None or not names_file(file):
        return None
    return b64encode(read_bytes(file)).decode()


def _operations(pairs: Sequence[str]) -> list[JsonObject]:
    operations: list[JsonObject] = []
    for pair in pairs:
        place, equals, text = pair.partition("=")
        if not equals or not place.startswith("/"):
            raise click.BadParameter(f"{pair!r} is not in the form /data/field=VALUE")
        operations.append({"op": "add", "path": place, "value": read_value(text)})
    return operations
