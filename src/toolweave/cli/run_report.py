"""What the journal of a run says, for people: a timeline, answers, and what a person must do."""

from collections.abc import Sequence

from toolweave.cli.answer_commands import answer_commands
from toolweave.cli.run_display import STYLES, ToDo
from toolweave.cli.sanitize import visible
from toolweave.cli.terminal import Part, width_of
from toolweave.engine.called_questions import open_questions
from toolweave.engine.engine import Engine
from toolweave.engine.events import Answered, Key, to_body
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry
from toolweave.engine.run_table import RunRecord
from toolweave.engine.timeline import WIDTH, StepBar, run_waits, step_bars
from toolweave.json_text import Json, JsonObject, write
from toolweave.workflow.question import question_of


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


async def to_dos(engine: Engine, run: str, entries: Sequence[JournalEntry]) -> list[ToDo]:
    """What a person must do before the run can continue, also for the runs that it called."""
    own = records(entries)
    found = [(record.key, to_do(run, record)) for record in own]
    if any(record.status == "waiting" for record in own):
        asked = await open_questions(engine, run)
        keys = {record.key for record in own}
        found += [(key, _to_answer(run, key, asked[key])) for key in asked if key not in keys]
    return [(key, *what) for key, what in found if what is not None]


def timeline(entries: Sequence[JournalEntry]) -> list[tuple[Part, ...]]:
    """Print a run as bars over time, one line per step."""
    bars = step_bars(entries)
    widest = min(max((width_of(one.record.key) for one in bars), default=0), 32)
    waits: list[tuple[Part, ...]] = [(text,) for text in run_waits(entries)]
    return waits + [_line(one, widest) for one in bars]


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


def _line(one: StepBar, widest: int) -> tuple[Part, ...]:
    name = visible(one.record.key, one_line=True)
    padding = " " * max(widest - width_of(name), 0)
    style = STYLES.get(one.record.status, "")
    words = visible(one.words, one_line=True)
    return (f"{name}{padding}  ", (one.bar.ljust(WIDTH), style), f"  {words}")


def to_do(run: str, record: StepRecord) -> tuple[str, str] | None:
    """What a person must do about a step, and the command for it."""
    if record.status == "uncertain":
        doubt = "was running when its process ended; it is unknown whether it completed."
        answer = f"`toolweave runs answer {run} {record.key} --choice retry`"
        return f"{record.key} {doubt}", f"{answer} (or skip, or fail) resolves it."
    if record.status == "waiting" and record.value is not None:
        return _to_answer(run, record.key, record.value)
    return None


def _to_answer(run: str, key: Key, question: Json) -> tuple[str, str]:
    asked = f"{key} waits for an answer: {_question(question)}"
    found = question_of(question) if isinstance(question, dict) else None
    if found is not None and found.id:
        return asked, f"{' or '.join(answer_commands(found, found.id))} answers it."
    return asked, f"`toolweave runs answer {run} {key} --reply VALUE` answers it."


def _question(question: Json) -> str:
    text = question.get("text") if isinstance(question, dict) else None
    return text if isinstance(text, str) else write(question)
