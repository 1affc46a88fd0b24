"""A run as bars over time, one per step."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry

WIDTH = 40


@dataclass(frozen=True, slots=True)
class StepBar:
    """A step, its bar of at most `WIDTH` characters, and how it went."""

    record: StepRecord
    bar: str
    words: str


def step_bars(entries: Sequence[JournalEntry]) -> list[StepBar]:
    """Return the bars of all steps in the order they started."""
    found = records(entries)
    if not found:
        return []
    now = entries[-1].at
    start = min(_moment(record.started_at) for record in found)
    end = max(_moment(record.finished_at or now) for record in found)
    span = max((end - start).total_seconds(), 0.001)
    return [_bar(record, start, span, now) for record in found]


def timeline_text(entries: Sequence[JournalEntry]) -> str:
    """Return the bars as plain text, one line per step."""
    bars = step_bars(entries)
    widest = max((len(one.record.key) for one in bars), default=0)
    lines = [f"{one.record.key:<{widest}}  {one.bar:<{WIDTH}}  {one.words}" for one in bars]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _bar(record: StepRecord, start: datetime, span: float, now: str) -> StepBar:
    begins = (_moment(record.started_at) - start).total_seconds() / span
    ends = (_moment(record.finished_at or now) - start).total_seconds() / span
    first = min(round(begins * WIDTH), WIDTH - 1)
    length = max(1, round(ends * WIDTH) - first)
    has_time = record.finished_at and record.status != "cancelled"
    words = f"{record.took_ms} ms" if has_time else record.status
    error = f"  {record.error['message']}" if record.error else ""
    return StepBar(record, " " * first + "█" * length, words + error)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
