"""A run on the terminal: a line for each step as it happens, and a timeline at the end."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime

import click

from toolweave.cli.run_parts import part_lines, usage_line
from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import Part, say, width_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import (
    Answered,
    Event,
    Key,
    PureStepsDone,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepStarted,
    StepUncertain,
    StepWaiting,
    to_body,
)
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.run_table import RunRecord
from toolweave.engine.state import TURN
from toolweave.json_text import Json, JsonObject, write
from toolweave.tools.tool import ToolProgress

WIDTH = 40
STYLES = {
    "success": "green",
    "failed": "red",
    "partial": "red",
    "cancelled": "yellow",
    "waiting": "cyan",
    "retrying": "yellow",
    "uncertain": "magenta",
    "skipped": "yellow",
    "running": "blue",
}
MARKS = {
    "success": "✓",
    "failed": "✗",
    "cancelled": "■",
    "waiting": "…",
    "retrying": "↻",
    "uncertain": "?",
    "running": "▸",
}


class Display:
    """Shows one run; as JSON, one event per line."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._told: set[Key] = set()
        # Steps that work in parts; the start of each part is not shown.
        self._in_parts: set[Key] = set()

    def begin(self, run: str, plan: Plan) -> None:
        """Print the workflow and the run id."""
        if not self._as_json:
            say((plan.workflow.name or "workflow", "bold"), f"  run {run}", stderr=True)

    def stopping(self) -> None:
        """Report the first Ctrl-C."""
        if not self._as_json:
            say("Stopping; press Ctrl-C again to exit immediately.", stderr=True)

    def show(self, entry: JournalEntry) -> None:
        """Print one event."""
        if self._as_json:
            _put(as_line(entry))
            return
        event = entry.event
        if isinstance(event, StepWaiting) and event.adds:
            self._in_parts.add(event.key)
            for line in part_lines(event.memory):
                say(f"  {event.key} {line}", indent=2, stderr=True)
            return
        if isinstance(event, StepStarted) and event.key in self._in_parts:
            return
        for key, status, words in _told(entry.event):
            mark: Part = (f"{MARKS[status]} ", STYLES[status])
            say(mark, f"{key}{words}", indent=2, stderr=True)

    async def progress(self, run: str, key: Key, progress: ToolProgress) -> None:
        """Print the progress of a running step."""
        total = f"/{progress.total:g}" if progress.total else ""
        words = f" {progress.message}" if progress.message else ""
        if self._as_json:
            line: JsonObject = {"type": "progress", "run": run, "step": key}
            how_far = {"done": progress.done, "total": progress.total}
            _put(line | how_far | {"message": progress.message})
        else:
            say(f"  {key} {progress.done:g}{total}{words}", indent=2, stderr=True)

    def end(self, status: str, result: JsonObject, entries: Sequence[JournalEntry]) -> None:
        """Print the final status and the result."""
        if self._as_json:
            _put({"type": "result", **result})
            return
        say((status, STYLES.get(status, "")), stderr=True)
        error = result.get("error")
        if isinstance(error, dict):
            say((f"{error.get('message')}  [{error.get('code')}]", "red"), stderr=True)
            if error.get("hint"):
                say(f"Hint: {error['hint']}", stderr=True)
        if status == "success":
            show_value(result["finalResult"])
        usage = result.get("usage")
        if isinstance(usage, dict):
            say(usage_line(usage), stderr=True)
        self.waiting(str(result["runId"]), entries)

    def waiting(self, run: str, entries: Sequence[JournalEntry]) -> None:
        """Print the commands a person must run before the run can continue, each once."""
        for record in records(entries):
            what = to_do(run, record)
            if what is not None and not self._as_json and record.key not in self._told:
                self._told.add(record.key)
                say(what[0], stderr=True)
                say(what[1], indent=2, stderr=True)


async def find_run(engine: Engine, name: str, *, to_act: bool = False) -> RunRecord:
    """Find a run by its id or `last`, or by the beginning of its id to read it only.

    Raises:
        NotFound: `RUN_UNKNOWN`.
    """
    if name == "last" and (newest := await engine.newest(limit=1)):
        return newest[0]
    return await (engine.get(name) if to_act else engine.match(name))


def _put(line: JsonObject) -> None:
    """Print a line for programs; a closed pipe (`| head`) does not stop the run."""
    try:
        click.echo(write(line))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_line(entry: JournalEntry) -> JsonObject:
    """A journal entry as JSON."""
    return {"type": entry.event.kind, "seq": entry.seq, "at": entry.at, **to_body(entry.event)}


def show_value(value: Json) -> None:
    """Text as it is, any other value as JSON."""
    click.echo(visible(value) if isinstance(value, str) else json_text(value))


def timeline(entries: Sequence[JournalEntry]) -> list[tuple[Part, ...]]:
    """Print a run as bars over time, one line per step."""
    found = records(entries)
    if not found:
        return []
    start = min(_moment(record.started_at) for record in found)
    end = max(_moment(record.finished_at or entries[-1].at) for record in found)
    span = max((end - start).total_seconds(), 0.001)
    widest = min(max(width_of(record.key) for record in found), 32)
    return [_bar(record, start, span, widest, entries[-1].at) for record in found]


def answered(entries: Sequence[JournalEntry]) -> list[tuple[Part, ...]]:
    """Print who answered what, through which channel and when."""
    lines: list[tuple[Part, ...]] = []
    for entry in entries:
        if isinstance(event := entry.event, Answered):
            reply = event.reply if isinstance(event.reply, str) else write(event.reply)
            who = visible(event.by or "somebody", one_line=True)
            through = f" through {event.via}" if event.via else ""
            words = visible(reply, one_line=True)[:200]
            lines.append((f"{event.key}: {who} answered{through} at {entry.at}: {words}",))
    return lines


def _bar(
    record: StepRecord, start: datetime, span: float, widest: int, now: str
) -> tuple[Part, ...]:
    begins = (_moment(record.started_at) - start).total_seconds() / span
    ends = (_moment(record.finished_at or now) - start).total_seconds() / span
    first = min(round(begins * WIDTH), WIDTH - 1)
    length = max(1, round(ends * WIDTH) - first)
    bar = " " * first + "█" * length
    style = STYLES.get(record.status, "")
    words = f"{record.took_ms} ms" if record.finished_at else record.status
    if record.status == "cancelled":
        words = record.status
    error = f"  {record.error['message']}" if record.error else ""
    name = visible(record.key, one_line=True)
    padding = " " * max(widest - width_of(name), 0)
    return (f"{name}{padding}  ", (bar.ljust(WIDTH), style), f"  {words}{error}")


def _told(event: Event) -> list[tuple[Key, str, str]]:
    match event:
        case PureStepsDone(steps):
            return [(str(step[0]), "success", "") for step in steps if step[1] != TURN]
        case StepStarted(key, attempt):
            return [(key, "running", f"  (try {attempt})" if attempt > 1 else "")]
        case StepFinished(key):
            return [(key, "success", "")]
        case StepWaiting(key):
            return [(key, "waiting", f"  until {event.until}" if event.until else "  waits")]
        case StepUncertain(key):
            return [(key, "uncertain", "  outcome unknown")]
        case StepCancelled(key):
            return [(key, "cancelled", "  stopped")]
        case StepFailed(key):
            status = "failed" if event.retry_at is None else "retrying"
            return [(key, status, f"  {event.message}  [{event.code}]")]
        case _:
            return []


def to_do(run: str, record: StepRecord) -> tuple[str, str] | None:
    """What a person must do about a step, and the command for it."""
    answer = f"`toolweave runs answer {run} {record.key}"
    if record.status == "uncertain":
        doubt = "was running when its process ended; it is unknown whether it completed."
        return f"{record.key} {doubt}", f"{answer} --choice retry` (or skip, or fail) resolves it."
    if record.status == "waiting" and record.value is not None:
        asked = f"{record.key} waits for an answer: {_question(record.value)}"
        return asked, f"{answer} --reply VALUE` answers it."
    return None


def _question(question: Json) -> str:
    text = question.get("text") if isinstance(question, dict) else None
    return text if isinstance(text, str) else write(question)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
