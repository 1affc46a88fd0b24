"""`toolweave runs show` and `watch`."""

import click

from toolweave.cli.run_display import STYLES, Display, show_result
from toolweave.cli.run_parts import part_lines, usage_line
from toolweave.cli.run_report import answered, as_line, find_run, timeline, to_dos
from toolweave.cli.runs.opening import with_engine
from toolweave.cli.session import run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.engine.deployed_versions import left_alone
from toolweave.engine.engine import Engine
from toolweave.engine.events import Answered
from toolweave.engine.execution_report import StepRecord, execution, records
from toolweave.engine.journal_report import report_of
from toolweave.engine.queue_report import run_notice
from toolweave.engine.run_json import RunStep, RunSummary
from toolweave.json_text import JsonObject


@click.command()
@click.argument("run_id", metavar="RUN")
@json_option
def show(run_id: str, as_json: bool) -> None:
    """Show a run: its timeline and the result of each step."""

    async def work(engine: Engine) -> None:
        found = await find_run(engine, run_id)
        report = await report_of(engine.journal, found.id)
        entries, plan = report.entries, await engine.plan(found.id)
        shown = execution(found.id, plan, entries, is_whole=report.is_whole)
        notice = await run_notice(engine.journal.database, engine.clock, found)
        if as_json:
            steps = [_step(record) for record in records(entries)]
            given = [as_line(one) for one in entries if isinstance(one.event, Answered)]
            print_json(
                {
                    **RunSummary.of(found).as_json(),
                    "notice": notice,
                    "steps": steps,
                    "hiddenSteps": report.hidden_steps,
                    "answers": given,
                    "execution": shown,
                }
            )
            return
        say((found.workflow, "bold"), f"  {found.id}  ", (found.status, STYLES[found.status]))
        reasons = [*await left_alone(engine.journal.database, engine.clock, found.id), notice]
        told = [(reason,) for reason in reasons if reason is not None]
        for line in (*told, *timeline(entries), *answered(entries)):
            say(*line, indent=2)
        for record in records(entries):
            for line in (line for part in record.parts for line in part_lines(part)):
                say(f"{record.key} {line}", indent=2)
        usage = shown.get("usage")
        if shown.get("finalResult") is not None:
            show_result(shown)
        if isinstance(usage, dict):
            say(usage_line(usage))
        for _, *lines in await to_dos(engine, found.id, entries):
            for line in lines:
                say(line)

    run(with_engine(work))


@click.command()
@click.argument("run_id", metavar="RUN")
@json_option
def watch(run_id: str, as_json: bool) -> None:
    """Follow a run until it ends."""

    async def work(engine: Engine) -> None:
        found = await find_run(engine, run_id)
        display = Display(as_json=as_json)
        async for entry in engine.follow(found.id):
            display.show(as_line(entry))
        report = await report_of(engine.journal, found.id)
        entries, plan = report.entries, await engine.plan(found.id)
        status = (await engine.get(found.id)).status
        shown = execution(found.id, plan, entries, is_whole=report.is_whole)
        display.end(status, shown, await to_dos(engine, found.id, entries))

    run(with_engine(work))


def _step(record: StepRecord) -> JsonObject:
    shown = RunStep.of(record).as_json()
    return {**shown, "parts": list(record.parts)} if record.parts else shown
