"""The frame of every node that asks people: ask, remind, take replies in, leave by one of four.

A node says what it asks (`QuestionNode`); a `Messenger` carries it where people are. The question,
each reminder and each reply are steps of the run's journal, so nothing is held while the run waits.
"""

import logging
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeAlias, cast

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Resumed, Wait
from toolweave.clock import timestamp
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._reply_meaning import Advice, ReplyMeaning, read_reply, words_of
from toolweave.workflow.question import Question, question_id

logger = logging.getLogger(__name__)

Port: TypeAlias = Literal["confirmed", "rejected", "unrelated", "timeout"]
# A wait of an hour or more has a reminder when this much of it is over.
REMIND_AFTER = 0.75
LEAST_REMINDED_S = 3_600
MAX_KEPT = 200


@dataclass(frozen=True, slots=True)
class Nudge:
    """Words to people while nobody has answered: a reminder, or an escalation to others."""

    after_s: float
    text: str
    # Who is told, and whose answers count from then on as well; nobody: those who were asked.
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionMemory:
    """What is kept from one moment to the next."""

    since: datetime
    thread: JsonObject | None = None
    nudged: int = 0
    # Those whose answers count beside the ones who were asked first.
    joined: tuple[str, ...] = ()
    # Every reply: by, via, at, text, counted, and why not or how it was read.
    replies: tuple[JsonObject, ...] = ()
    # What the node itself keeps.
    own: JsonObject = field(default_factory=dict[str, Json])

    @classmethod
    def of(cls, kept: Json) -> "QuestionMemory":
        """The memory of an earlier moment."""
        assert isinstance(kept, dict)
        thread, own = kept.get("thread"), kept.get("own")
        return cls(
            datetime.fromisoformat(str(kept["since"])),
            thread if isinstance(thread, dict) else None,
            int(str(kept.get("nudged", 0))),
            tuple(map(str, cast("list[Json]", kept.get("joined", [])))),
            tuple(cast("list[JsonObject]", kept.get("replies", []))),
            own if isinstance(own, dict) else {},
        )

    def as_json(self) -> JsonObject:
        """What `of` reads."""
        return {
            "since": timestamp(self.since),
            "thread": self.thread,
            "nudged": self.nudged,
            "joined": list(self.joined),
            "replies": list(self.replies),
            "own": self.own,
        }

    def heard(self, reply: JsonObject) -> "QuestionMemory":
        """The same with one more reply."""
        return replace(self, replies=(*self.replies, reply)[-MAX_KEPT:])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply leads to: a way on, or none yet, and why it does not count."""

    port: Port | None
    text: str = ""
    read_by: str = ""
    # Why the reply does not count, or what is still missing.
    why: str | None = None
    own: JsonObject | None = None
    joins: tuple[str, ...] = ()


# Judges one reply of somebody who may answer.
Judge: TypeAlias = Callable[[NodeContext, Resumed, QuestionMemory], Awaitable[Verdict]]


class Messenger(Protocol):
    """Carries questions to people; replies come in by other ways."""

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Put the question; what tells its replies apart from others."""
        ...

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Say something more about it."""
        ...

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Say what came of it."""
        ...


class InboxMessenger:
    """The messenger of questions that are shown where Toolweave is: nothing is to be sent."""

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Send nothing: the question is in the inbox."""
        return None

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Nothing: the question says so itself."""

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Send nothing: the interface that received the answer reported the outcome."""


@dataclass(frozen=True, slots=True)
class QuestionNode:
    """What a node asks, for how long, and how it reads what comes back."""

    question: Question
    wait_s: float
    messenger: Messenger = field(default_factory=InboxMessenger)
    nudges: tuple[Nudge, ...] = ()
    advice: Advice = field(default_factory=Advice)
    judge: Judge | None = None
    # Why words that somebody wrote do not count as an answer; nothing where they do.
    refuses: Callable[[str], str | None] = lambda _: None
    # What the node gives beside what all of them give.
    more: Callable[[QuestionMemory], JsonObject] = lambda _: {}


def reminder(wait_s: float, text: str) -> tuple[Nudge, ...]:
    """The one reminder of a wait that is long enough for it."""
    if wait_s < LEAST_REMINDED_S or not text:
        return ()
    return (Nudge(wait_s * REMIND_AFTER, text),)


def content_of(given: NodeInput) -> Json:
    """What people are to judge: the input of that name, else all that came in."""
    content = given.value("content")
    return given.incoming if content is None else content


async def ask(context: NodeContext, asking: QuestionNode) -> Outcome | Wait:
    """Ask, or go on with what came since."""
    resumed = context.resumed
    if resumed is None:
        question = replace(
            asking.question,
            id=question_id(context.key),
            due=timestamp(context.now() + timedelta(seconds=asking.wait_s)),
        )
        thread = await asking.messenger.ask(context, question)
        return _waiting(context, asking, QuestionMemory(context.now(), thread))
    memory = QuestionMemory.of(resumed.memory)
    if resumed.by == "answer":
        return await _heard(context, asking, memory, resumed)
    return await _on_time(context, asking, memory)


def _question(context: NodeContext, asking: QuestionNode, memory: QuestionMemory) -> Question:
    people = asking.question.people
    return replace(
        asking.question,
        id=question_id(context.key),
        due=timestamp(_deadline(asking, memory)),
        people=tuple(dict.fromkeys((*people, *memory.joined))) if people else (),
        thread=memory.thread,
    )


def _deadline(asking: QuestionNode, memory: QuestionMemory) -> datetime:
    return memory.since + timedelta(seconds=asking.wait_s)


def _waiting(context: NodeContext, asking: QuestionNode, memory: QuestionMemory) -> Wait:
    until = _deadline(asking, memory)
    if memory.nudged < len(asking.nudges):
        after = timedelta(seconds=asking.nudges[memory.nudged].after_s)
        until = min(until, memory.since + after)
    question = _question(context, asking, memory)
    # To thank somebody twice after a crash is better than to ask whether they were thanked.
    return Wait(until, question.as_json(), memory.as_json(), effect="keyed")


async def _on_time(
    context: NodeContext, asking: QuestionNode, memory: QuestionMemory
) -> Outcome | Wait:
    if context.now() >= _deadline(asking, memory):
        return await _over(context, asking, memory, Verdict("timeout"))
    if memory.nudged < len(asking.nudges):
        nudge = asking.nudges[memory.nudged]
        if context.now() >= memory.since + timedelta(seconds=nudge.after_s):
            if memory.thread is not None:
                with _unharmed(context):
                    await asking.messenger.nudge(context, memory.thread, nudge)
            joined = tuple(dict.fromkeys((*memory.joined, *nudge.to)))
            memory = replace(memory, nudged=memory.nudged + 1, joined=joined)
    return _waiting(context, asking, memory)


@contextmanager
def _unharmed(context: NodeContext) -> Generator[None]:
    """What was asked and answered does not fail because a word of thanks could not be sent."""
    try:
        yield
    except ToolweaveError as error:
        logger.warning("people were not notified", extra={"step": context.key, "code": error.code})


async def _heard(
    context: NodeContext, asking: QuestionNode, memory: QuestionMemory, resumed: Resumed
) -> Outcome | Wait:
    at = resumed.at or context.now()
    if at > _deadline(asking, memory):
        memory = memory.heard(_record(resumed, at, Verdict(None, why="it came after the time")))
        return await _over(context, asking, memory, Verdict("timeout"))
    verdict = await _judged(context, asking, memory, resumed)
    memory = memory.heard(_record(resumed, at, verdict))
    if verdict.own is not None:
        memory = replace(memory, own=verdict.own)
    if verdict.joins:
        memory = replace(memory, joined=tuple(dict.fromkeys((*memory.joined, *verdict.joins))))
    if verdict.port is None:
        if context.now() >= _deadline(asking, memory):
            return await _over(context, asking, memory, Verdict("timeout"))
        return _waiting(context, asking, memory)
    return await _over(context, asking, memory, verdict, resumed.reply)


async def _judged(
    context: NodeContext, asking: QuestionNode, memory: QuestionMemory, resumed: Resumed
) -> Verdict:
    question = _question(context, asking, memory)
    if not question.asks(resumed.who):
        return Verdict(None, words_of(resumed.reply), why="this person was not asked")
    if asking.judge is not None:
        return await asking.judge(context, resumed, memory)
    reply = resumed.reply
    if isinstance(reply, str) or (isinstance(reply, dict) and "text" in reply):
        words = words_of(reply)
        if (why := asking.refuses(words)) is not None:
            return Verdict(None, words, why=why)
    read: ReplyMeaning = await read_reply(context, question.text, reply, asking.advice)
    return Verdict(read.meaning, read.text, read.read_by)


def _record(resumed: Resumed, at: datetime, verdict: Verdict) -> JsonObject:
    told: JsonObject = {
        "by": resumed.who,
        "via": resumed.via,
        "at": timestamp(at),
        "text": verdict.text or words_of(resumed.reply),
        "counted": verdict.why is None,
    }
    if verdict.why is not None:
        told["why"] = verdict.why
    if verdict.port is not None:
        told["meaning"] = verdict.port
    if verdict.read_by:
        told["read_by"] = verdict.read_by
    return told


async def _over(
    context: NodeContext,
    asking: QuestionNode,
    memory: QuestionMemory,
    verdict: Verdict,
    reply: Json = None,
) -> Outcome:
    port = verdict.port or "timeout"
    if memory.thread is not None:
        with _unharmed(context):
            await asking.messenger.tell(context, memory.thread, port, reply)
    value: JsonObject = {
        "content": content_of(context.given),
        "ai_classification": port,
        "user_response": verdict.text,
        "answers": list(memory.replies),
    }
    return Outcome(value | asking.more(memory), (port,))
