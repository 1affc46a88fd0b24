"""The inbox: what runs ask people, and the answers people give here."""

from collections.abc import Container
from contextlib import aclosing
from dataclasses import dataclass

from toolweave.engine.called_runs import place_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import Key
from toolweave.engine.open_questions import OpenQuestion, Questions
from toolweave.errors import Conflict, Invalid
from toolweave.json_text import Json
from toolweave.workflow.question import Question, question_of


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """An answer that was written down; whether it counts, and else why not."""

    question: OpenQuestion
    counts: bool
    why: str | None = None


class Inbox:
    """All questions of all runs; any of them can be answered here, wherever it was asked."""

    def __init__(self, engine: Engine) -> None:
        self.questions = Questions(engine.journal.database)
        self._engine = engine

    async def list(
        self,
        *,
        who: str | None = None,
        workflows: Container[str] | None = None,
        limit: int = 1_000,
    ) -> "list[OpenQuestion]":
        """The open questions, oldest first: those that a person may answer, or of some workflows.

        The limit counts only these, so that it does not disclose how many others there are.
        """
        found: list[OpenQuestion] = []
        async with aclosing(self.questions.each_open()) as questions:
            async for one in questions:
                is_visible = workflows is None or one.workflow in workflows
                if is_visible and (who is None or one.question.asks(who)):
                    found.append(one)
                if len(found) == limit:
                    break
        return found

    async def show(self, identity: str) -> OpenQuestion:
        """One question, by its id or how that begins. Raises `NotFound`: `QUESTION_UNKNOWN`."""
        return await self.questions.match(identity)

    async def answer(
        self, identity: str, reply: Json, *, who: str, via: str, resume: bool = True
    ) -> AnswerOutcome:
        """Answer a question by its whole id; of somebody who was not asked it does not count.

        Raises `NotFound`: `QUESTION_UNKNOWN`; `Conflict`: `QUESTION_CLOSED`; `Invalid`:
        `ANSWER_INVALID` with everything that is wrong.
        """
        found = await self.questions.get(identity)
        if found.closed_at is not None:
            raise _closed(found)
        check(found.question, reply)
        try:
            why = await self._engine.answer(
                found.run, found.step, reply, by=who, via=via, resume=resume
            )
        except Conflict as error:
            if error.code not in {"STEP_NOT_WAITING", "STEP_ANSWERED", "RUN_TAKEN"}:
                raise
            raise _closed(found) from None
        return AnswerOutcome(found, counts=why is None, why=why)


async def check_step(engine: Engine, run: str, step: Key, reply: Json) -> None:
    """Let an answer to a waiting step pass that fits its question, if it asks one of a person.

    Raises `Invalid`: `ANSWER_INVALID`.
    """
    run, step = await place_of(engine.journal.database, run, step)
    waiting = (await engine.state(run)).waiting.get(step)
    if waiting is not None and (question := question_of(waiting.question)) is not None:
        check(question, reply)


def check(question: Question, reply: Json) -> None:
    """Let an answer pass that fits the question. Raises `Invalid`: `ANSWER_INVALID`."""
    problems = question.faults(reply)
    if problems:
        told = "; ".join(problem.message for problem in problems)
        raise Invalid("ANSWER_INVALID", f"the answer is invalid: {told}", problems=problems)


def _closed(found: OpenQuestion) -> Conflict:
    return Conflict(
        "QUESTION_CLOSED",
        f"question {found.id!r} is closed: it was answered, or it expired",
        hint=f"`toolweave runs show {found.run}` shows what happened next",
    )
