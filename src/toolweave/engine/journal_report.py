"""The events of a run for reports, bounded: of a large journal, long values are shortened.

Up to `MAX_WHOLE_CHARS` a report has everything. Beyond it, it has every step outside of loops and
the first `MAX_STEPS` of the others, with values of at most a given length.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from anyio.to_thread import run_sync

from toolweave.engine.events import (
    Answered,
    Event,
    Finished,
    Key,
    LoopOpened,
    PureStepsDone,
    Started,
    StepFailed,
    StepFinished,
    StepProgress,
    StepStarted,
    StepWaiting,
)
from toolweave.engine.journal_reader import JournalEntry, JournalReader
from toolweave.engine.state import TURN
from toolweave.json_text import Json, JsonObject, write

MAX_WHOLE_CHARS = 16_000_000
MAX_STEPS = 10_000
MAX_EVENTS = 50_000
# How much of a long value is kept, and how much once that was too much in all.
SHORT_CHARS = 2_000
LEAST_CHARS = 200


class CutValue(dict[str, Json]):
    """Describes a value that is too long for a report."""


# Describes a value that is longer than a number of characters; nothing for a shorter one.
Cut = Callable[[Json, int], JsonObject | None]


@dataclass(frozen=True, slots=True)
class JournalReport:
    """The events of a run; if they are not whole, long values are `CutValue`s."""

    entries: Sequence[JournalEntry]
    is_whole: bool = True
    hidden_steps: int = 0


async def report_of(
    journal: JournalReader,
    run: str,
    *,
    cut: Cut | None = None,
    most: int = SHORT_CHARS,
    keeps_result: bool = False,
) -> JournalReport:
    """Read the events of a run for a report; with `keeps_result` the run's result is whole."""
    whole: list[JournalEntry] = []
    shortened: _ShortenedEvents | None = None
    chars, last = 0, None
    async for entries in journal.pages(run):
        last = entries[-1]
        if shortened is None:
            whole += entries
            chars += sum(entry.chars for entry in entries)
            if chars <= MAX_WHOLE_CHARS:
                continue
            shortened, entries, whole = _ShortenedEvents(cut or beginning, most), whole, []
        await run_sync(shortened.add, entries)
    if shortened is None:
        return JournalReport(whole)
    if keeps_result and last is not None and isinstance(last.event, Finished):
        shortened.entries[-1] = last
    return JournalReport(shortened.entries, is_whole=False, hidden_steps=shortened.hidden_steps)


def beginning(value: Json, most: int) -> JsonObject | None:
    """Describe a long value by its beginning and length."""
    text = value if isinstance(value, str) else _written(value)
    return {"text": text[:most], "chars": len(text)} if len(text) > most else None


def _written(value: Json) -> str:
    try:
        return write(value)
    except TypeError:
        return str(value)  # it contains an integer of more than 64 bits


@dataclass(slots=True)
class _ShortenedEvents:
    """Collects events without their long values."""

    cut: Cut
    most: int
    entries: list[JournalEntry] = field(default_factory=list[JournalEntry])
    hidden_steps: int = 0
    _kept_chars: int = 0
    _iterated: set[Key] = field(default_factory=set[Key])
    # Where the last progress of a step is in `entries`.
    _progress: dict[Key, int] = field(default_factory=dict[Key, int])

    def add(self, entries: Sequence[JournalEntry]) -> None:
        """Add the next events."""
        for entry in entries:
            event = entry.event
            key = getattr(event, "key", None)
            if isinstance(key, str) and not self._is_shown(key, is_new=_begins(event)):
                continue
            if isinstance(event, StepProgress) and event.key in self._progress:
                self.entries[self._progress[event.key]] = entry
                continue
            if len(self.entries) >= MAX_EVENTS and isinstance(event, StepStarted | StepWaiting):
                continue
            if isinstance(event, StepProgress):
                self._progress[event.key] = len(self.entries)
            short = self._shortened(event)
            if not isinstance(short, PureStepsDone) or short.steps:
                self.entries.append(replace(entry, event=short, chars=0))

    def _is_shown(self, key: Key, *, is_new: bool) -> bool:
        if "#" not in key or key in self._iterated:
            return True
        if len(self._iterated) < MAX_STEPS:
            self._iterated.add(key)
            return True
        self.hidden_steps += is_new
        return False

    def _shortened(self, event: Event) -> Event:
        match event:
            case Started():
                return replace(event, inputs=self._short(event.inputs), edits=None, pins=None)
            case PureStepsDone():
                return self._shown_steps(event)
            case StepStarted():
                return replace(event, given=None)
            case StepFinished():
                return replace(event, value=self._short(event.value), content=self._said(event))
            case StepFailed(problems=list() as problems):
                return replace(event, problems=problems[:20])
            case StepWaiting():
                asked = event.question
                question = asked and {name: self._short(one) for name, one in asked.items()}
                return replace(event, question=question, memory=self._short(event.memory))
            case Answered():
                return replace(event, reply=self._short(event.reply))
            case LoopOpened():
                return replace(event, items=None)
            case Finished():
                result = self._short(event.result)
                return replace(event, result=result, content=self._said(event))
            case _:
                return event

    def _shown_steps(self, event: PureStepsDone) -> PureStepsDone:
        steps = [
            step
            for step in event.steps
            if step[1] != TURN and self._is_shown(str(step[0]), is_new=True)
        ]
        used = {int(str(step[1])) for step in steps}
        values = [
            self._short(value) if number in used else None
            for number, value in enumerate(event.values)
        ]
        return PureStepsDone(steps, values)

    def _said(self, event: StepFinished | Finished) -> list[Json] | None:
        return event.content and [self._short(block) for block in event.content]

    def _short(self, value: Json) -> Json:
        if not isinstance(value, str | dict | list):
            return value
        short = self.cut(value, self.most)
        kept = value if short is None else CutValue(short)
        self._kept_chars += len(_written(kept))
        if self._kept_chars > MAX_WHOLE_CHARS:
            self.most = min(self.most, LEAST_CHARS)
        return kept


def _begins(event: Event) -> bool:
    return isinstance(event, StepStarted) and event.attempt == 1
