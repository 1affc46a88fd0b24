"""Answers to waiting steps, each checked against exactly the state that it is added to.

Of two answers at the same moment, one is written; the other is checked again after it.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.engine.events import (
    Answered,
    Choice,
    Event,
    Finished,
    Key,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepWaiting,
    UncertainResolved,
)
from toolweave.engine.journal import Journal
from toolweave.engine.plan import Plan
from toolweave.engine.state import RunState
from toolweave.errors import Conflict
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.question import Question, question_of, reply_in

# How often an event is checked again because another one was written first.
MAX_TRIES = 1_000

# How long the sender of an answer waits for the step to read it.
JUDGED_S = 2.0
DECIDED = "the question was decided before this answer was read"
UNREAD = "an earlier answer is still being read; this one counts if the question stays open"

# Raises `Conflict` if an event cannot follow this state.
CheckState = Callable[[RunState], None]


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer in the journal after the event `seq`, and what is known of it."""

    event: Answered
    seq: int
    # Whether a person was asked; else the step waits for a program, or for a time.
    is_to_question: bool
    # Whether the step has not read an earlier answer yet.
    is_behind: bool
    # Why it does not count, as far as the question says.
    why: str | None


class Answers:
    """Writes answers and decisions of people to the journal."""

    def __init__(
        self, journal: Journal, clock: Clock, plan_of: Callable[[str], Awaitable[Plan]]
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._plan_of = plan_of

    async def answer(
        self, run: str, key: Key, reply: Json, *, by: str | None, via: str | None
    ) -> "WrittenAnswer":
        """Write an answer."""
        event = Answered(key, reply, by, via, timestamp(self._clock.now()))
        state, seq = await self._add(run, event, lambda state: _check_answer(state, run, key, by))
        question = _asked_by(state, key)
        why = question.not_asked(by) if question else None
        is_behind = question is not None and bool(_unread(state, key))
        return WrittenAnswer(event, seq, question is not None, is_behind, why)

    async def judged(self, run: str, written: "WrittenAnswer") -> str | None:
        """Wait a moment for the step to read an answer; return why it does not count, if so."""
        if written.why is not None or not written.is_to_question:
            return written.why
        with anyio.move_on_after(JUDGED_S):
            async with aclosing(self._journal.batches(run, written.seq, paged=True)) as batches:
                async for entries in batches:
                    for entry in entries:
                        if (judged := _judgement(entry.event, written.event)) is not None:
                            return judged or None
            return None
        return UNREAD if written.is_behind else None

    async def resolve(self, run: str, key: Key, choice: Choice, *, by: str | None) -> None:
        """Write the decision about a step with an unknown result."""

        def check(state: RunState) -> None:
            if key not in state.uncertain or state.is_cancelled:
                raise _not_waiting(state, run, key, sorted(state.uncertain))

        await self._add(run, UncertainResolved(key, choice, by), check)

    async def _add(self, run: str, event: Event, check: CheckState) -> tuple[RunState, int]:
        """Add an event to the state that was checked; return that state and its last number."""
        state, seq = RunState(await self._plan_of(run)), 0
        for _ in range(MAX_TRIES):
            async for entries in self._journal.pages(run, seq):
                for entry in entries:
                    state.apply(entry.event)
                    seq = entry.seq
            check(state)
            if await self._journal.add_next(run, event, seq):
                return state, seq
        message = f"run {run!r} is changing too fast to add an answer"
        raise Conflict("RUN_TAKEN", message, hint="try again")


def _judgement(event: Event, answer: Answered) -> str | None:
    """Return why an answer does not count, an empty text if it does, nothing if that is open."""
    if isinstance(event, Finished):
        return DECIDED
    if getattr(event, "key", None) != answer.key:
        return None
    match event:
        case StepWaiting(memory=dict() as memory):
            # Without it, the step has read an earlier answer first.
            return reply_in(memory, answer.by, answer.via, answer.at)
        case StepFinished(value=dict() as value):
            found = reply_in(value, answer.by, answer.via, answer.at)
            return DECIDED if found is None else found
        case StepFinished():
            return ""
        case StepFailed() | StepCancelled():
            return DECIDED
        case _:
            return None


def _check_answer(state: RunState, run: str, key: Key, by: str | None) -> None:
    if state.is_cancelled or state.finished or not state.accepts_answer(key):
        raise _not_waiting(state, run, key, list(state.waiting))
    question = _asked_by(state, key)
    # Waits for programs take every event: the first may not be the expected one. Others, which
    # ask nothing, end with the first answer.
    is_answered = _asked(state, key) is None and bool(_unread(state, key))
    if question is not None and question.asks(by):
        is_answered = _is_answered(question, state, key, by)
    if is_answered:
        raise Conflict(
            "STEP_ANSWERED",
            f"step {key!r} of run {run!r} has another answer, which came first",
            hint="if the step still waits after it, answer again",
        )


def _is_answered(question: Question, state: RunState, key: Key, by: str | None) -> bool:
    """Whether an answer that counts came first; of reviewers who all answer, one of this person."""
    unread = [who for who in _unread(state, key) if question.asks(who)]
    if question.needs_all:
        return by is not None and by.casefold() in {(who or "").casefold() for who in unread}
    return bool(unread)


def _asked_by(state: RunState, key: Key) -> Question | None:
    return question_of(_asked(state, key))


def _asked(state: RunState, key: Key) -> JsonObject | None:
    waiting = state.waiting.get(key)
    return waiting.question if waiting else state.asking.get(key)


def _unread(state: RunState, key: Key) -> list[str | None]:
    """Return who gave the answers that the step has not finished processing."""
    answers = [answer.by for answer in state.answers.get(key, ())]
    resumed = None if key in state.waiting else state.resumed.get(key)
    return [resumed.who, *answers] if resumed and resumed.by == "answer" else answers


def _not_waiting(state: RunState, run: str, key: Key, waiting: Sequence[Key]) -> Conflict:
    names = ", ".join(repr(one) for one in waiting[:5])
    hint = f"waiting steps: {names}"
    if state.finished or not names:
        hint = "no step of this run is waiting"
    elif state.is_cancelled:
        hint = "the run is being cancelled"
    return Conflict(
        "STEP_NOT_WAITING", f"step {key!r} of run {run!r} is not waiting for that", hint=hint
    )
