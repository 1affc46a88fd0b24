"""Messages of conversations in our database, and what older ones were about."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from toolweave import json_text
from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._keys import Now
from toolweave.nodes.memory._sql_keys import is_first
from toolweave.patterns import pattern
from toolweave.storage.database import Database, Transaction

MAX_LINE = 160
MAX_SUMMARY = 4000
_SUM_UP = (
    "INSERT INTO memory_summaries (conversation, body) VALUES (?, ?)"
    " ON CONFLICT (conversation) DO UPDATE SET body = excluded.body"
)
_SENTENCE = pattern(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])")


@dataclass(frozen=True, slots=True)
class BufferLimits:
    """How many messages are kept, and what happens to the oldest."""

    max_messages: int
    sums_up: bool
    at_a_time: int

    def surplus(self, count: int) -> int:
        """How many of `count` messages have to go."""
        over = max(0, count - self.max_messages)
        # Of a small buffer half: else every message would be summed up on the next one.
        spare = min(5, max(1, self.max_messages // 2))
        if self.sums_up and self.max_messages - count < spare:
            return max(over, min(self.at_a_time, count - 1))
        return over


@dataclass(frozen=True, slots=True)
class Summary:
    """What older messages were about."""

    text: str = ""
    messages: int = 0
    at: str | None = None

    def as_json(self) -> JsonObject:
        """The shape it is stored in."""
        return {"text": self.text, "messages": self.messages, "at": self.at}


@dataclass(frozen=True, slots=True)
class Buffer:
    """A conversation as it is now."""

    messages: list[Json]
    summary: Summary


def conversation_of(*names: str) -> str:
    """The key of a conversation, whatever its names hold."""
    return hashlib.sha256(json_text.canonical(names)).hexdigest()


class Conversations:
    """All conversations of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, conversation: str) -> Buffer:
        """A conversation; an unknown one is empty."""
        rows = await _rows(self._database, conversation)
        return Buffer([body for _, body in rows], await _summary(self._database, conversation))

    async def add(
        self, conversation: str, message: JsonObject, limits: BufferLimits, now: Now
    ) -> Buffer:
        """Add a message, once for each step, and let go of the oldest as `limits` say."""
        body = json_text.write(message)
        async with self._database.transaction() as transaction:
            if await is_first(transaction, now):
                await transaction.execute(
                    "INSERT INTO memory_messages (conversation, body) VALUES (?, ?)",
                    conversation,
                    body,
                )
            rows = await _rows(transaction, conversation)
            summary = await _summary(transaction, conversation)
            gone = rows[: limits.surplus(len(rows))]
            if gone:
                await transaction.executemany(
                    "DELETE FROM memory_messages WHERE id = ?", [(number,) for number, _ in gone]
                )
                if limits.sums_up:
                    summary = summed_up(summary, [one for _, one in gone], now)
                    written = json_text.write(summary.as_json())
                    await transaction.execute(_SUM_UP, conversation, written)
            return Buffer([one for _, one in rows[len(gone) :]], summary)


def summed_up(before: Summary, messages: list[Json], now: Now) -> Summary:
    """By plain rules: who said it and its first sentence, a line each; the newest lines stay."""
    lines = [*before.text.splitlines(), *map(_line, messages)]
    count = before.messages + len(messages)
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > MAX_SUMMARY:
        lines.pop(0)
    at = timestamp(datetime.fromtimestamp(now.at_s, UTC))
    return Summary("\n".join(lines), count, at)


def _line(message: Json) -> str:
    assert isinstance(message, dict)
    # One line, without what a terminal or a database would stumble over.
    words = " ".join(str(message["content"]).replace("\0", " ").split())
    first = _SENTENCE.split(words, maxsplit=1)[0]
    shown = first if len(first) <= MAX_LINE else first[: MAX_LINE - 1] + "…"
    return f"{message['role']}: {shown}"


async def _rows(source: Database | Transaction, conversation: str) -> list[tuple[int, Json]]:
    sql = "SELECT id, body FROM memory_messages WHERE conversation = ? ORDER BY id"
    rows = await source.rows(sql, conversation)
    return [(int(number), json_text.read(str(body))) for number, body in rows]


async def _summary(source: Database | Transaction, conversation: str) -> Summary:
    sql = "SELECT body FROM memory_summaries WHERE conversation = ?"
    row = await source.row(sql, conversation)
    if row is None:
        return Summary()
    body = json_text.read(str(row[0]))
    assert isinstance(body, dict)
    return Summary(str(body["text"]), int(str(body["messages"])), str(body["at"]))
