"""`toolweave run`: run a workflow in this process and show its progress."""

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import cast

import anyio
import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio, open_studio
from toolweave.cli.inputs import read_inputs, read_value
from toolweave.cli.run_display import Display, find_run
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option
from toolweave.cli.workflow_files import STDIN, read_file
from toolweave.engine.engine import Engine
from toolweave.engine.events import RunStatus
from toolweave.engine.execution_report import execution
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import how_many
from toolweave.tasks import background
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import YAML_ENDINGS, load
from toolweave.workflow.json_patch import apply_patch

ENDINGS = (".json", *YAML_ENDINGS)
EXIT_CODES: dict[RunStatus, int] = {"success": 0, "waiting": 0}


@click.command("run")
@click.argument("file", required=False, metavar="FILE")
@click.option("--input", "pairs", multiple=True, metavar="NAME=VALUE", help="One input.")
@click.option("--inputs", metavar="JSON", help="All inputs as a JSON object.")
@click.option("--from", "node", metavar="NODE", help="Start at this node of an earlier run.")
@click.option("--of", "old_run", metavar="RUN", help="The earlier run; `last` is the most recent.")
@click.option(
    "--set", "edits", multiple=True, metavar="POINTER=VALUE", help="Change an input of the node."
)
@json_option
def run_workflow(
    file: str | None,
    pairs: tuple[str, ...],
    inputs: str | None,
    node: str | None,
    old_run: str | None,
    edits: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run a workflow, or rerun an earlier run from one of its nodes.

    FILE is a file of any dialect, `-` for standard input, or the name of a stored workflow.
    """
    if bool(file) == bool(node and old_run):
        raise click.UsageError("give a FILE, or --from NODE and --of RUN")
    given = read_inputs(pairs, inputs)
    display = Display(as_json=as_json)

    async def work() -> int:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio, on_progress=display.progress) as engine,
        ):
            if file is not None:
                started = await _start(engine, await _read(file, studio), given, file)
            else:
                change = _edit(edits) if edits else None
                old = await find_run(engine, str(old_run), to_act=True)
                started = await engine.runs.fork(old.id, str(node), change)
            return await _watched(engine, started, display)

    return run(work)


async def _start(engine: Engine, loaded: LoadedWorkflow, given: Json, file: str) -> str:
    request = RunRequest(loaded.workflow, given, hold=True, source=loaded)
    try:
        return await engine.runs.start(request)
    except Invalid as error:
        if error.code != "WORKFLOW_INVALID":
            raise
        raise Invalid(
            error.code,
            f"{file!r} cannot run: {how_many(error.problems)}",
            problems=error.problems,
            hint=f"run `toolweave validate {file}` for details; --fix repairs what it can",
        ) from None


async def _watched(engine: Engine, started: str, display: Display) -> int:
    plan = await engine.plan(started)
    display.begin(started, plan)
    interrupts = 0
    shown = 0

    async def watch() -> None:
        nonlocal shown
        async for entry in engine.follow(started):
            shown = entry.seq
            display.show(entry)

    async def stop() -> None:
        nonlocal interrupts
        async for _ in _interrupts():
            interrupts += 1
            display.stopping()
            await engine.cancel(started)

    async def pause(waiting: str) -> None:
        display.waiting(waiting, await engine.journal.read(waiting))

    async with background() as tasks:
        tasks.start_soon(watch)
        tasks.start_soon(stop)
        ended = await engine.runs.run_to_end(started, through_pauses=True, on_pause=pause)
    status = ended.status
    entries = await engine.journal.read(started)
    for entry in entries[shown:]:
        display.show(entry)
    display.end(status, execution(started, plan, entries), entries)
    return 130 if interrupts else EXIT_CODES.get(status, 1)


async def _interrupts() -> AsyncGenerator[None]:
    """Wait for the first Ctrl-C; the next one has its usual effect."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            break
    yield


def _is_file(text: str) -> bool:
    return text == STDIN or os.path.lexists(text) or Path(text).suffix.lower() in ENDINGS


async def _read(file: str, studio: Studio) -> LoadedWorkflow:
    """Load the file of that name if it exists, else the stored workflow of that name."""
    if _is_file(file):
        given = read_file(file)
        return load(given.data, name_hint=given.name)
    try:
        return (await studio.home.workflows.load(file)).loaded
    except NotFound as error:
        message = f"no file or stored workflow is called {file!r}"
        raise NotFound(error.code, message, hint=error.hint) from None


def _edit(pairs: Sequence[str]) -> Callable[[Json], Json]:
    operations: list[JsonObject] = []
    for pair in pairs:
        place, equals, text = pair.partition("=")
        if not equals or not place.startswith("/"):
            raise click.BadParameter(f"{pair!r} is not in the form /data/field=VALUE")
        operations.append({"op": "add", "path": place, "value": read_value(text)})

    def change(came_in: Json) -> Json:
        changed = apply_patch({"data": came_in}, operations)
        return cast("JsonObject", changed)["data"]

    return change
