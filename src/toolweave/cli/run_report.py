"""What the journal of a run says, for people: a timeline, answers, and what a person must do."""

from collections.abc import Sequence
from datetime import datetime

from toolweave.cli.run_display import STYLES, ToDo
from toolweave.cli.sanitize import visible
from toolweave.cli.terminal import Part, width_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import Answered, to_body
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry
from toolweave.engine.run_table import RunRecord
from toolweave.json_text import Json, JsonObject, write

WIDTH = 40


async def find_run(engine: Engine, name: str, *, to_act: bool = False) -> RunRecord:
    """Find a run by its id or `last`, or by the beginning of its id to read it only.

    Raises:
        NotFound: `RUN_UNKNOWN`.
    """
    if name == "last" and (newest := await engine.newest(limit=1)):
        return newest[0]
    return await (engine.get(name) if to_act else engine.match(name))


def as_line(entry: JournalEntry) -> JsonObject:
    """A journal entry as JSON."""
    return {"type": entry.event.kind, "seq": entry.seq, "at": entry.at, **to_body(entry.event)}


def to_dos(run: str, entries: Sequence[JournalEntry]) -> list[ToDo]:
    """What a person must do before the run can continue."""
    found = ((record.key, to_do(run, record)) for record in records(entries))
    return [(key, *what) for key, what in found if what is not None]


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
