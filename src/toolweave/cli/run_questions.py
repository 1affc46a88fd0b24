"""Questions of a run, put to the person who follows it on a terminal."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from getpass import getuser
from typing import Any

import anyio

from toolweave.engine.called_questions import open_questions
from toolweave.engine.engine import Engine
from toolweave.engine.events import Key
from toolweave.errors import Conflict
from toolweave.json_text import Json
from toolweave.tools.elicitation import ElicitationQuestion
from toolweave.workflow.question import DECLINED, Question, question_of

# Questions on other channels are answered there.
ASKED_HERE = frozenset({"inbox", "mcp"})


class RunQuestions:
    """Asks one question at a time; each can be answered in the inbox instead."""

    # Any: the answer as JSON, of the fields of `ElicitationAnswer`.
    def __init__(
        self, engine: Engine, ask: Callable[[ElicitationQuestion], Awaitable[dict[str, Any]]]
    ) -> None:
        self._engine = engine
        self._ask = ask
        self._turn = anyio.Lock()
        self._has_more = False

    async def ask_open(self, run: str) -> None:
        """Ask the open questions of a run that this person may answer."""
        self._has_more = True
        if self._turn.locked():
            return  # the call that asks those of an earlier pause goes on with these
        async with self._turn:
            while self._has_more:
                self._has_more = False
                for key, question in (await self._open(run)).items():
                    await self._answer(run, key, question)

    async def has_open(self, run: str) -> bool:
        """Whether a run, or one that it called, asks what this person may answer."""
        return self._turn.locked() or bool(await self._open(run))

    async def _open(self, run: str) -> dict[Key, Question]:
        found = await open_questions(self._engine, run)
        asked = ((key, question_of(question)) for key, question in found.items())
        return {
            key: question
            for key, question in asked
            if question and question.channel in ASKED_HERE and question.asks(getuser())
        }

    async def _answer(self, run: str, key: Key, question: Question) -> None:
        asker = question.title.removesuffix(" asks") or f"Step {key!r}"
        form = question.schema
        answer = await self._ask(ElicitationQuestion(asker, question.text, schema=form))
        content: Json = answer.get("content")
        reply = content if answer["action"] == "accept" else dict(DECLINED)
        with suppress(Conflict):  # answered in the inbox meanwhile
            await self._engine.answer(run, key, reply, by=getuser(), via="cli")
