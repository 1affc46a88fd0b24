"""A run as bars over time, one per step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from toolweave.engine.events import SlotAwaited, SlotFreed, StepProgress
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry

WIDTH = 40


@dataclass(frozen=True, slots=True)
class StepBar:
    """A step, its bar of at most `WIDTH` characters, and how it went."""

    record: StepRecord
    bar: str
    words: str


def run_waits(entries: Sequence[JournalEntry]) -> list[str]:
    """Return what the run itself waited for, before its steps could begin."""
    waits: list[str] = []
    for number, entry in enumerate(entries):
        if isinstance(event := entry.event, SlotAwaited):
            later = (one for one in entries[number + 1 :] if not isinstance(one.event, SlotFreed))
            ended = next(later, None)
            text = f"for a free slot of {event.limit}"
            if ended is None:
                waits.append(f"waits {text} since {entry.at}")
            else:
                waited_s = (_moment(ended.at) - _moment(entry.at)).total_seconds()
                waits.append(f"waited {waited_s:.1f} s {text}")
    return waits


def step_bars(entries: Sequence[JournalEntry]) -> list[StepBar]:
    """Return the bars of all steps in the order they started."""
    found = records(entries)
    if not found:
        return []
    now = entries[-1].at
    start = min(_moment(record.started_at) for record in found)
    end = max(_moment(record.finished_at or now) for record in found)
    span = max((end - start).total_seconds(), 0.001)
    said = {one.event.key: one.event for one in entries if isinstance(one.event, StepProgress)}
    bars = [_bar(record, start, span, now) for record in found]
    return [_with_progress(bar, said.get(bar.record.key)) for bar in bars]


def timeline_text(entries: Sequence[JournalEntry]) -> str:
    """Return the bars as plain text, one line per step."""
    bars = step_bars(entries)
    widest = max((len(one.record.key) for one in bars), default=0)
    lines = [f"{one.record.key:<{widest}}  {one.bar:<{WIDTH}}  {one.words}" for one in bars]
    return "".join(f"{line.rstrip()}\n" for line in (*run_waits(entries), *lines))


def _with_progress(bar: StepBar, said: StepProgress | None) -> StepBar:
    """Add what a running step said last."""
    if bar.record.status != "running" or said is None or not said.message:
        return bar
    return replace(bar, words=f"{bar.words}  {said.message}")


def _bar(record: StepRecord, start: datetime, span: float, now: str) -> StepBar:
    begins = (_moment(record.started_at) - start).total_seconds() / span
    ends = (_moment(record.finished_at or now) - start).total_seconds() / span
    first = min(round(begins * WIDTH), WIDTH - 1)
    length = max(1, round(ends * WIDTH) - first)
    has_time = record.finished_at and record.status != "cancelled"
    words = f"{record.took_ms} ms" if has_time else record.status
    if record.queue is not None and record.status == "waiting":
        words = f"waits for queue {record.queue}"
    error = f"  {record.error['message']}" if record.error else ""
    return StepBar(record, " " * first + "█" * length, words + error)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
