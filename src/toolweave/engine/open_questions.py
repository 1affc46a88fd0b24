"""The index of open questions, written in the same transaction as the journal.

The journal is the source of truth. The index serves queries that must not read every run: the
inbox, and the channels that receive replies from other systems.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
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
from toolweave.storage.damaged_rows import readable
from toolweave.storage.database import Database, Row, Statement
from toolweave.workflow.question import Channel, Question, question_id, question_of

# How many questions are read at once.
PAGE = 200
# After these a step asks nothing, except for a wait that asks again.
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
# The channels of people; a wait for another program has an address instead (`waiting_runs.py`).
_OF_PEOPLE = f"channel IN ({', '.join(repr(one) for one in get_args(Channel))})"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A step asks a question or no longer does; without a step, the whole run has ended."""

    step: Key | None
    question: Question | None = None
    # Or a wait for other programs.
    awaited: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with its run and step."""

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
        """Restore the questions asked before."""
        self._open = {key for key, one in state.waiting.items() if one.question} | set(
            state.resumed
        )

    def changed_by(self, event: Event) -> AskedQuestion | None:
        """Return how an event changes the questions."""
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
    """Return the statements that write the changes, for a writer that still holds the lease."""
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
        """Return the unanswered questions, oldest first."""
        where = f"WHERE closed_at IS NULL AND {'channel = ?' if channel else _OF_PEOPLE}"
        values = (channel, limit) if channel else (limit,)
        rows = await self._database.rows(
            f"{_COLUMNS} {where} ORDER BY asked_at, questions.id LIMIT ?", *values
        )
        return readable("questions", rows, _read)

    async def each_open(self) -> AsyncGenerator[OpenQuestion]:
        """Yield the unanswered questions of all channels, oldest first, read part by part."""
        after, rows = ("", ""), [()]
        while rows:
            rows = await self._database.rows(
                f"{_COLUMNS} WHERE closed_at IS NULL AND {_OF_PEOPLE} "
                "AND (asked_at > ? OR (asked_at = ? AND questions.id > ?)) "
                f"ORDER BY asked_at, questions.id LIMIT {PAGE}",
                *(after[0], *after),
            )
            for question in readable("questions", rows, _read):
                yield question
            after = (str(rows[-1][4]), str(rows[-1][0])) if rows else after

    async def stamp(self) -> str:
        """Return a text that changes whenever the questions and uncertain steps change."""
        asked = await self._database.row(
            "SELECT count(*), max(asked_at) FROM questions "
            f"WHERE closed_at IS NULL AND {_OF_PEOPLE}"
        )
        uncertain = await self._database.row(
            "SELECT count(*), max(changed_at) FROM runs WHERE status = 'uncertain'"
        )
        return repr((asked, uncertain))

    async def channels(self) -> "list[Channel]":
        """Return the channels with open questions."""
        sql = f"SELECT DISTINCT channel FROM questions WHERE closed_at IS NULL AND {_OF_PEOPLE}"
        return [row[0] for row in await self._database.rows(sql)]

    async def lately(self, channel: str, since: str, *, limit: int = 1_000) -> list[OpenQuestion]:
        """Return the questions of a channel that are open, or were closed after a time."""
        rows = await self._database.rows(
            f"{_COLUMNS} WHERE channel = ? AND (closed_at IS NULL OR closed_at > ?) "
            "ORDER BY asked_at DESC, questions.id LIMIT ?",
            channel,
            since,
            limit,
        )
        return readable("questions", rows, _read)

    async def get(self, identity: str) -> OpenQuestion:
        """Return one question by its whole id; it may be closed. Raises `QUESTION_UNKNOWN`."""
        row = await self._database.row(
            f"{_COLUMNS} WHERE questions.id = ? AND {_OF_PEOPLE}", identity
        )
        if row is None:
            raise unknown_question(identity)
        return _read(row)

    async def match(self, identity: str) -> OpenQuestion:
        """Return one question by its id or a prefix of it, to read it only."""
        rows = await self._database.rows(
            f"{_COLUMNS} WHERE substr(questions.id, 1, ?) = ? AND {_OF_PEOPLE} LIMIT 2",
            len(identity),
            identity,
        )
        if not identity or len(rows) != 1:
            hint = "give more of its id" if rows else "`toolweave inbox list` shows what is open"
            raise NotFound("QUESTION_UNKNOWN", f"there is no question {identity!r}", hint=hint)
        return _read(rows[0])


def unknown_question(identity: str) -> NotFound:
    """Return the error for an id that no question has, or none that the caller may see."""
    hint = "give its whole id; `toolweave inbox list` shows what is open"
    return NotFound("QUESTION_UNKNOWN", f"there is no question {identity!r}", hint=hint)


def _read(row: Row) -> OpenQuestion:
    identity, run, step, _, asked_at, _, closed_at, body, workflow = row
    told = json_text.read(body)
    asked = question_of(told if isinstance(told, dict) else None)
    assert asked is not None, body
    return OpenQuestion(identity, run, step, workflow, asked_at, closed_at, asked)
