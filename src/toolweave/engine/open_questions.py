"""Which questions are open: an index beside the journal, written in the same transaction.

The journal is the truth. This is for those who look for questions without reading every run: the
inbox, and the channels that receive replies from other systems.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from toolweave import json_text
from toolweave.engine.events import (
    Event,
    Finished,
    Key,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepUncertain,
    StepWaiting,
)
from toolweave.engine.state import RunState
from toolweave.engine.waiting_runs import address_of
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.storage.database import Database, Row, Statement
from toolweave.workflow.question import Channel, Question, question_id, question_of

# After these a step asks nothing, but for a wait that asks again.
_ENDS = (StepWaiting, StepFinished, StepFailed, StepCancelled, StepUncertain)
_HOLDS = "run IN (SELECT id FROM runs WHERE id = ? AND epoch = ?)"
_OPEN = (
    "INSERT INTO questions (id, run, step, channel, asked_at, due_at, body) "
    "SELECT ?, id, ?, ?, ?, ?, ? FROM runs WHERE id = ? AND epoch = ? "
    "ON CONFLICT (run, step) DO UPDATE SET body = excluded.body, due_at = excluded.due_at, "
    "closed_at = NULL"
)
_CLOSE = f"UPDATE questions SET closed_at = ? WHERE closed_at IS NULL AND {_HOLDS}"
_COLUMNS = (
    "SELECT questions.id, run, step, channel, asked_at, due_at, closed_at, body, runs.workflow "
    "FROM questions JOIN runs ON runs.id = questions.run"
)
# The channels of people; what waits for other programs has an address instead (`awaiting.py`).
_OF_PEOPLE = f"channel IN ({', '.join(repr(one) for one in get_args(Channel))})"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A step asks something, or no longer does; no step: the whole run is over."""

    step: Key | None
    question: Question | None = None
    # Or it waits for other programs, as it says itself.
    awaited: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with its place."""

    id: str
    run: str
    step: Key
    workflow: str
    asked_at: str
    closed_at: str | None
    question: Question


class OpenQuestions:
    """The questions of one executing run."""

    def __init__(self) -> None:
        self._open: set[Key] = set()

    def begin(self, state: RunState) -> None:
        """Take in what was asked before."""
        self._open = {key for key, one in state.waiting.items() if one.question} | set(
            state.resumed
        )

    def changed_by(self, event: Event) -> AskedQuestion | None:
        """What an event changes about the questions."""
        match event:
            case StepWaiting(key) if (asked := question_of(event.question)) is not None:
                self._open.add(key)
                return AskedQuestion(key, asked)
            case StepWaiting(key) if address_of(event.question) is not None:
                self._open.add(key)
                return AskedQuestion(key, awaited=event.question)
            case StepFailed(retry_at=retry_at) if retry_at is not None:
                return None
            case Finished() if self._open:
                return AskedQuestion(None)
            case _:
                return self._closed_by(event)

    def _closed_by(self, event: Event) -> AskedQuestion | None:
        if not isinstance(event, _ENDS) or event.key not in self._open:
            return None
        self._open.discard(event.key)
        return AskedQuestion(event.key)


def index(run: str, epoch: int, at: str, asked: Sequence[AskedQuestion]) -> Iterator[Statement]:
    """How what changed is written, by a writer that still holds the run."""
    for one in asked:
        if one.step is None:
            yield Statement(_CLOSE, (at, run, epoch))
        elif one.awaited is not None:
            identity = question_id(f"{run}/{one.step}")
            body = json_text.write(one.awaited)
            what = (identity, one.step, address_of(one.awaited), at, None, body)
            yield Statement(_OPEN, (*what, run, epoch))
        elif one.question is None:
            yield Statement(f"{_CLOSE} AND step = ?", (at, run, epoch, one.step))
        else:
            question = one.question
            identity = question.id or question_id(f"{run}/{one.step}")
            body = json_text.write(question.as_json())
            what = (identity, one.step, question.channel, at, question.due, body)
            yield Statement(_OPEN, (*what, run, epoch))


class Questions:
    """The questions of all runs of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, channel: str | None = None, *, limit: int = 1_000) -> list[OpenQuestion]:
        """The questions nobody has answered yet, oldest first."""
        where = f"WHERE closed_at IS NULL AND {'channel = ?' if channel else _OF_PEOPLE}"
        values = (channel, limit) if channel else (limit,)
        rows = await self._database.rows(
            f"{_COLUMNS} {where} ORDER BY asked_at, questions.id LIMIT ?", *values
        )
        return [_read(row) for row in rows]

    async def stamp(self) -> str:
        """Another text whenever other things wait for a person: questions, uncertain steps."""
        asked = await self._database.row(
            "SELECT count(*), max(asked_at) FROM questions "
            f"WHERE closed_at IS NULL AND {_OF_PEOPLE}"
        )
        uncertain = await self._database.row(
            "SELECT count(*), max(changed_at) FROM runs WHERE status = 'uncertain'"
        )
        return repr((asked, uncertain))

    async def channels(self) -> "list[Channel]":
        """Where something is open."""
        sql = f"SELECT DISTINCT channel FROM questions WHERE closed_at IS NULL AND {_OF_PEOPLE}"
        return [row[0] for row in await self._database.rows(sql)]

    async def lately(self, channel: str, since: str, *, limit: int = 1_000) -> list[OpenQuestion]:
        """The questions of a channel that are open, or were closed after a moment."""
        rows = await self._database.rows(
            f"{_COLUMNS} WHERE channel = ? AND (closed_at IS NULL OR closed_at > ?) "
            "ORDER BY asked_at DESC, questions.id LIMIT ?",
            channel,
            since,
            limit,
        )
        return [_read(row) for row in rows]

    async def get(self, identity: str) -> OpenQuestion:
        """One question, by its id or how that begins; it may be closed."""
        rows = await self._database.rows(
            f"{_COLUMNS} WHERE substr(questions.id, 1, ?) = ? AND {_OF_PEOPLE} LIMIT 2",
            len(identity),
            identity,
        )
        if not identity or len(rows) != 1:
            hint = "give more of its id" if rows else "`toolweave inbox list` shows what is open"
            raise NotFound("QUESTION_UNKNOWN", f"there is no question {identity!r}", hint=hint)
        return _read(rows[0])


def _read(row: Row) -> OpenQuestion:
    identity, run, step, _, asked_at, _, closed_at, body, workflow = row
    told = json_text.read(body)
    asked = question_of(told if isinstance(told, dict) else None)
    assert asked is not None, body
    return OpenQuestion(identity, run, step, workflow, asked_at, closed_at, asked)
