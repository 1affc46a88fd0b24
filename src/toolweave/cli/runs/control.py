"""`toolweave runs cancel`, `resume` and `answer`.

While a service uses the same database these only record the request: the service is notified
and continues the run. Without one, the run continues in this process.
"""

from getpass import getuser
from typing import cast

import click

from toolweave import json_text
from toolweave.cli.run_report import find_run
from toolweave.cli.runs.opening import with_engine
from toolweave.cli.session import run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.engine.engine import Engine
from toolweave.engine.events import Choice
from toolweave.errors import Invalid
from toolweave.json_text import Json

CHOICES = ("retry", "skip", "fail")
# How long a command waits for the service that continues the run.
SETTLE_S = 3.0


@click.command()
@click.argument("run_id", metavar="RUN")
@json_option
def cancel(run_id: str, as_json: bool) -> None:
    """Cancel a run."""

    async def work(engine: Engine) -> tuple[str, str]:
        found = await find_run(engine, run_id, to_act=True)
        await engine.cancel(found.id, resume=False)
        return found.id, await engine.runs.settle(found.id, SETTLE_S)

    _say_status(*run(with_engine(work)), as_json=as_json)


@click.command()
@click.argument("run_id", metavar="RUN", required=False)
@click.option("--all", "every", is_flag=True, help="Every run that can be resumed.")
@json_option
def resume(run_id: str | None, every: bool, as_json: bool) -> None:
    """Resume runs that were interrupted or are due."""
    if every == (run_id is not None):
        raise click.UsageError("give a RUN, or --all")

    async def work(engine: Engine) -> list[tuple[str, str]]:
        if run_id is None:
            chosen = await engine.unfinished()
        else:
            chosen = [(await find_run(engine, run_id, to_act=True)).id]
        return [(one, await engine.runs.settle(one, SETTLE_S)) for one in chosen]

    done = run(with_engine(work))
    if as_json:
        print_json([{"id": one, "status": status} for one, status in done])
        return
    for one, status in done:
        say(f"{one}  {status}")
    if not done:
        say("No runs to resume.")


@click.command()
@click.argument("run_id", metavar="RUN")
@click.argument("step", metavar="NODE")
@click.option(
    "--choice", type=click.Choice(CHOICES), help="How to resolve a step with unknown outcome."
)
@click.option("--reply", metavar="VALUE", help="Answer to a waiting step; JSON or text.")
@json_option
def answer(run_id: str, step: str, choice: str | None, reply: str | None, as_json: bool) -> None:
    """Answer a waiting step, or resolve one with unknown outcome."""
    if (choice is None) == (reply is None):
        raise click.UsageError("give --choice for an uncertain step, or --reply for a waiting one")

    async def work(engine: Engine) -> tuple[str, str, str | None]:
        found, why = await find_run(engine, run_id, to_act=True), None
        if choice is not None:
            await engine.resolve(found.id, step, cast("Choice", choice), resume=False)
        else:
            given = given_value(str(reply))
            why = await engine.answer(found.id, step, given, by=getuser(), via="cli", resume=False)
        return found.id, await engine.runs.settle(found.id, SETTLE_S), why

    _say_status(*run(with_engine(work)), as_json=as_json)


def _say_status(run_id: str, status: str, why: str | None = None, *, as_json: bool) -> None:
    if why is not None and not as_json:
        say((f"The answer does not count: {why}.", "yellow"), stderr=True)
    if as_json:
        uncounted = {} if why is None else {"counts": False, "why": why}
        print_json({"id": run_id, "status": status, **uncounted})
    elif status == "running":
        say("Recorded. Another process executes the run; `toolweave runs watch` follows it.")
    else:
        say(f"The run is {status}.")


def given_value(text: str) -> Json:
    """Parse JSON; anything else is text."""
    try:
        return json_text.read(text)
    except Invalid:
        return text
