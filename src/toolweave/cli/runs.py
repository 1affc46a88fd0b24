"""`toolweave runs`: what ran, what runs, what waits; and what to do about it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import click

from toolweave import json_text
from toolweave.app.running import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.rooms import ground, run
from toolweave.cli.run_display import STYLES, Display, find_run, show_value, timeline, to_do
from toolweave.cli.run_parts import part_lines, usage_line
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.engine.engine import Engine
from toolweave.engine.events import Choice
from toolweave.engine.execution import execution, records
from toolweave.engine.run_rows import Run
from toolweave.errors import Conflict, Invalid
from toolweave.json_text import Json, JsonObject

T = TypeVar("T")
CHOICES = ("retry", "skip", "fail")


@click.group(cls=HelpfulGroup)
def runs() -> None:
    """Look at runs and steer them.

    A RUN is an id, how an id begins, or `last`.
    """


@runs.command("list")
@click.option("--status", help="Only runs of this status.")
@click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="How many at most.",
)
@json_option
def list_runs(status: str | None, limit: int, as_json: bool) -> None:
    """List the newest runs."""
    found = _with_engine(lambda engine: engine.runs(status=status, limit=limit))
    if as_json:
        print_json([_as_dict(one) for one in found])
    elif found:
        print_table(
            ("run", "status", "workflow", "started", "error"),
            [(one.id, one.status, one.workflow, one.started_at, one.error) for one in found],
        )
    else:
        say("Nothing ran yet. `toolweave run FILE` runs a workflow.")


@runs.command()
@click.argument("run_id", metavar="RUN")
@json_option
def show(run_id: str, as_json: bool) -> None:
    """Show a run: its timeline, and what each step gave."""

    async def work(engine: Engine) -> None:
        found = await find_run(engine, run_id)
        entries = await engine.journal.read(found.id)
        plan = await engine.plan(found.id)
        if as_json:
            steps = [
                {
                    "key": record.key,
                    "status": record.status,
                    "startedAt": record.started_at,
                    "finishedAt": record.finished_at,
                    "attempt": record.attempt,
                    "value": record.value,
                    "error": record.error,
                    **({"parts": list(record.parts)} if record.parts else {}),
                }
                for record in records(entries)
            ]
            shown = execution(found.id, plan, entries)
            print_json({**_as_dict(found), "steps": steps, "execution": shown})
            return
        say((found.workflow, "bold"), f"  {found.id}  ", (found.status, STYLES[found.status]))
        for line in timeline(entries):
            say(*line, indent=2)
        for record in records(entries):
            for line in (line for part in record.parts for line in part_lines(part)):
                say(f"{record.key} {line}", indent=2)
        shown = execution(found.id, plan, entries)
        result, usage = shown.get("finalResult"), shown.get("usage")
        if result is not None:
            show_value(result)
        if isinstance(usage, dict):
            say(usage_line(usage))
        for record in records(entries):
            for line in to_do(found.id, record) or ():
                say(line)

    _with_engine(work)


@runs.command()
@click.argument("run_id", metavar="RUN")
@json_option
def watch(run_id: str, as_json: bool) -> None:
    """Follow a run until it is over."""

    async def work(engine: Engine) -> None:
        found = await find_run(engine, run_id)
        display = Display(as_json=as_json)
        async for entry in engine.follow(found.id):
            display.show(entry)
        entries = await engine.journal.read(found.id)
        plan = await engine.plan(found.id)
        status = (await engine.get(found.id)).status
        display.end(status, execution(found.id, plan, entries), entries)

    _with_engine(work)


@runs.command()
@click.argument("run_id", metavar="RUN")
@json_option
def cancel(run_id: str, as_json: bool) -> None:
    """Stop a run."""

    async def work(engine: Engine) -> tuple[str, str]:
        found = await find_run(engine, run_id)
        await engine.cancel(found.id)
        return found.id, await _brought_forward(engine, found.id)

    _say_status(*_with_engine(work), as_json=as_json)


@runs.command()
@click.argument("run_id", metavar="RUN", required=False)
@click.option("--all", "every", is_flag=True, help="Every run that can go on.")
@json_option
def resume(run_id: str | None, every: bool, as_json: bool) -> None:
    """Go on with runs that were cut off or are due."""
    if every == (run_id is not None):
        raise click.UsageError("give a RUN, or --all")

    async def work(engine: Engine) -> list[tuple[str, str]]:
        chosen = await engine.unfinished() if every else [(await find_run(engine, str(run_id))).id]
        return [(one, await _brought_forward(engine, one)) for one in chosen]

    done = _with_engine(work)
    if as_json:
        print_json([{"id": one, "status": status} for one, status in done])
        return
    for one, status in done:
        say(f"{one}  {status}")
    if not done:
        say("Nothing is to be resumed.")


@runs.command()
@click.argument("run_id", metavar="RUN")
@click.argument("step", metavar="NODE")
@click.option("--choice", type=click.Choice(CHOICES), help="What to do about an uncertain step.")
@click.option("--reply", metavar="VALUE", help="The answer of a step that waits; JSON or text.")
@json_option
def answer(run_id: str, step: str, choice: str | None, reply: str | None, as_json: bool) -> None:
    """Answer a step that waits, or decide about an uncertain one."""
    if (choice is None) == (reply is None):
        raise click.UsageError("give --choice for an uncertain step, or --reply for a waiting one")

    async def work(engine: Engine) -> tuple[str, str]:
        found = await find_run(engine, run_id)
        if choice is not None:
            await engine.resolve(found.id, step, cast("Choice", choice))
        else:
            await engine.answer(found.id, step, _value(str(reply)))
        return found.id, await _brought_forward(engine, found.id)

    _say_status(*_with_engine(work), as_json=as_json)


async def _brought_forward(engine: Engine, run_id: str) -> str:
    """How a run stands after going on here, or in the process that holds it."""
    try:
        return await engine.advance(run_id)
    except Conflict:
        return (await engine.get(run_id)).status


def _say_status(run_id: str, status: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"id": run_id, "status": status})
    elif status == "running":
        say("Noted. Another process runs it, and takes it in within a second.")
    else:
        say(f"The run is {status}.")


def _with_engine(work: Callable[[Engine], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with ground() as rooms, open_studio(rooms) as studio, open_engine(studio) as engine:
            return await work(engine)

    return run(opened)


def _as_dict(found: Run) -> JsonObject:
    return {
        "id": found.id,
        "workflow": found.workflow,
        "status": found.status,
        "startedAt": found.started_at,
        "changedAt": found.changed_at,
        "finishedAt": found.finished_at,
        "wakeAt": found.wake_at,
        "trigger": found.trigger,
        "forkOf": found.fork_of,
        "error": found.error,
    }


def _value(text: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid:
        return text
