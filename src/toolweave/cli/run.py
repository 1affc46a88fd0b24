"""`toolweave run`: run a workflow here and now, and watch it."""

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import anyio
import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio, open_studio
from toolweave.authoring.environment import known_offline
from toolweave.cli.inputs import read_inputs, read_value
from toolweave.cli.run_display import Display, find_run
from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option
from toolweave.cli.workflow_files import STDIN, read_file
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, RunStatus
from toolweave.engine.execution_report import execution
from toolweave.engine.run_table import RunRecord
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import how_many
from toolweave.tasks import background
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import YAML_ENDINGS, load
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import examine_loaded

LOOK_EVERY_S = 0.1
ENDINGS = (".json", *YAML_ENDINGS)
# How long a notice of another process is waited for before looking anyway.
LOST_S = 2.0
EXIT_CODES: dict[RunStatus, int] = {"success": 0, "waiting": 0}


@click.command("run")
@click.argument("file", required=False, metavar="FILE")
@click.option("--input", "pairs", multiple=True, metavar="NAME=VALUE", help="One input.")
@click.option("--inputs", metavar="JSON", help="All inputs as a JSON object.")
@click.option("--from", "node", metavar="NODE", help="Begin at this node of an earlier run.")
@click.option("--of", "old_run", metavar="RUN", help="The earlier run; `last` is the newest.")
@click.option("--set", "edits", multiple=True, metavar="POINTER=VALUE", help="Change its input.")
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
    """Run a workflow, or an earlier run again from one of its nodes.

    FILE is a file of any dialect, `-`, or the name of a stored workflow.
    """
    if bool(file) == bool(node and old_run):
        raise click.UsageError("give a FILE, or --from NODE and --of RUN")
    given = read_inputs(pairs, inputs)
    display = Display(as_json=as_json)

    async def work() -> int:
        async with (
            home() as rooms,
            open_studio(rooms) as studio,
            open_engine(studio, on_progress=display.progress) as engine,
        ):
            if file is not None:
                known = replace(await known_offline(rooms), is_run=True)
                workflow = _checked(await _read(file, studio), file, known)
                started = await engine.start(workflow, given, holds=True)
            else:
                change = _edit(edits) if edits else None
                old = await find_run(engine, str(old_run))
                started = await engine.fork(old.id, str(node), change)
            return await _watched(engine, started, display)

    return run(work)


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

    async with background() as tasks:
        tasks.start_soon(watch)
        tasks.start_soon(stop)
        status = await _to_the_end(engine, started, display)
    entries = await engine.journal.read(started)
    for entry in entries[shown:]:
        display.show(entry)
    display.end(status, execution(started, plan, entries), entries)
    return 130 if interrupts else EXIT_CODES.get(status, 1)


async def _to_the_end(engine: Engine, started: str, display: Display) -> RunStatus:
    """Bring a run forward, also over pauses and tries again, until it is over or needs a person."""
    while True:
        try:
            status = await engine.advance(started)
        except Conflict:  # another process brings it forward
            status = "running"
        found = await engine.get(started)
        if found.status in FINAL:
            return found.status
        if status == "running":
            await anyio.sleep(LOOK_EVERY_S)
        elif found.wake_at is None:
            if not await _called_goes_on(engine, started):
                return found.status
        else:
            display.waiting(started, await engine.journal.read(started))
            await _until_due(engine, found, datetime.fromisoformat(found.wake_at))


async def _called_goes_on(engine: Engine, run: str) -> bool:
    """Bring forward what a run called and waits for; whether that can go on without a person."""
    for called in await engine.called_by(run):
        found = await engine.get(called)
        if found.wake_at is not None:
            await _until_due(engine, found, datetime.fromisoformat(found.wake_at))
        elif found.status != "running" and not await _called_goes_on(engine, called):
            continue
        with suppress(Conflict):
            await engine.advance(called)
        await anyio.sleep(LOOK_EVERY_S)
        return True
    return False


async def _until_due(engine: Engine, found: RunRecord, due: datetime) -> None:
    """Wait for a moment, or until somebody answers or cancels, here or elsewhere."""
    while (ahead := (due - datetime.now(UTC)).total_seconds()) > 0:
        news = engine.journal.news.of(found.id)
        if (await engine.get(found.id)).changed_at != found.changed_at:
            return
        with engine.journal.news.listening(), anyio.move_on_after(min(ahead, LOST_S)):
            await news.wait()


async def _interrupts() -> AsyncGenerator[None]:
    """The first Ctrl-C; the next one is as always."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            break
    yield


def _is_file(text: str) -> bool:
    return text == STDIN or os.path.lexists(text) or Path(text).suffix.lower() in ENDINGS


async def _read(file: str, studio: Studio) -> LoadedWorkflow:
    """A file if there is one of that name, else the stored workflow of that name."""
    if _is_file(file):
        given = read_file(file)
        return load(given.data, name_hint=given.name)
    try:
        return (await studio.home.workflows.load(file)).loaded
    except NotFound as error:
        message = f"there is no file {file!r}, and no stored workflow of that name"
        raise NotFound(error.code, message, hint=error.hint) from None


def _checked(loaded: LoadedWorkflow, file: str, known: KnownEnvironment) -> Workflow:
    report = examine_loaded(loaded, known)
    if not report.is_valid:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        raise Invalid(
            "WORKFLOW_INVALID",
            f"{file!r} cannot be run: {how_many(errors)}",
            problems=errors,
            hint=f"`toolweave validate {file}` tells more, and --fix mends what can be mended",
        )
    return loaded.workflow


def _edit(pairs: Sequence[str]) -> Callable[[Json], Json]:
    operations: list[JsonObject] = []
    for pair in pairs:
        place, equals, text = pair.partition("=")
        if not equals or not place.startswith("/"):
            raise click.BadParameter(f"{pair!r} is not of the form /data/field=VALUE")
        operations.append({"op": "add", "path": place, "value": read_value(text)})

    def change(came_in: Json) -> Json:
        changed = apply_patch({"data": came_in}, operations)
        return cast("JsonObject", changed)["data"]

    return change
