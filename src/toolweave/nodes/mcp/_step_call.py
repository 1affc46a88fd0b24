"""A tool call as a step: the step waits while a person answers a question of the tool."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from toolweave.catalog.node import NodeContext, Resumed, Wait
from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolCall, ToolResult
from toolweave.workflow.question import (
    ANSWER,
    CONFIRMED,
    DECLINED,
    Question,
    approval_schema,
    question_id,
)

ANSWER_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The open question, until when it can be answered, and the questions answered before it."""

    question: ElicitationQuestion
    until: datetime
    answered: tuple[AnsweredQuestion, ...] = ()

    @classmethod
    def of(cls, memory: Json) -> "_Asked":
        """Read what `as_json` wrote."""
        # Any: written by `as_json`.
        kept = cast("dict[str, Any]", memory)
        answered = tuple(
            AnsweredQuestion(
                ElicitationQuestion(**one["question"]), ElicitationAnswer(**one["answer"])
            )
            for one in kept["answered"]
        )
        until = datetime.fromisoformat(kept["until"])
        return cls(ElicitationQuestion(**kept["question"]), until, answered)

    def as_json(self) -> JsonObject:
        """Return it as the memory of a wait."""
        answered: list[Json] = [asdict(one) for one in self.answered]
        return {
            "question": asdict(self.question),
            "until": timestamp(self.until),
            "answered": answered,
        }


async def call_tool(context: NodeContext, call: ToolCall) -> ToolResult | Wait:
    """Return the result of the call, or a wait for the answer to a question of the tool."""
    calls = context.resources.step_calls
    if calls is None:
        return await context.tools.call(call, on_progress=context.progress)
    answered: Sequence[AnsweredQuestion] = ()
    if context.resumed is not None:
        asked = _Asked.of(context.resumed.memory)
        answer = _answer(asked.question, context.resumed)
        if answer is None:
            return _wait(context, asked, call, again=True)
        answered = (*asked.answered, AnsweredQuestion(asked.question, answer))
    outcome = await calls.call(context.key, call, on_progress=context.progress, answered=answered)
    if isinstance(outcome, ToolResult):
        return outcome
    until = context.now() + ANSWER_WITHIN
    return _wait(context, _Asked(outcome, until, tuple(answered)), call)


def _wait(context: NodeContext, asked: _Asked, call: ToolCall, *, again: bool = False) -> Wait:
    question = _shown(asked, call, question_id(context.key), again=again)
    return Wait(until=asked.until, question=question.as_json(), memory=asked.as_json())


def _shown(asked: _Asked, call: ToolCall, id_: str, *, again: bool) -> Question:
    """The tool's question as people see it, with the server that asks."""
    question = asked.question
    parts = [question.message]
    if again:
        parts.insert(0, "The last answer does not fit the form.")
    if question.url is not None:
        parts.append(f"Open {question.url} and confirm when you are done.")
    form = _form(question)
    return Question(
        kind="approval" if form is None else "form",
        text="\n\n".join(parts),
        schema=approval_schema() if form is None else form,
        title=f"Tool {call.label!r} of server {call.server!r} asks",
        id=id_,
        options=("Approve", "Decline") if form is None else (),
        channel="mcp",
        due=timestamp(asked.until),
    )


def _form(question: ElicitationQuestion) -> JsonObject | None:
    """The schema of the form; None if the question is answered by yes or no."""
    schema = question.schema
    return schema if question.url is None and schema and schema.get("properties") else None


def _answer(question: ElicitationQuestion, resumed: Resumed) -> ElicitationAnswer | None:
    """The answer in the tool's terms; None if the reply does not answer the question."""
    if resumed.by == "timer":
        return ElicitationAnswer("cancel")
    reply = resumed.reply
    if reply == DECLINED:
        return ElicitationAnswer("decline")
    if not isinstance(reply, dict):
        return None
    form = _form(question)
    if form is None:
        is_confirmed = reply.get(ANSWER) == CONFIRMED
        content: JsonObject | None = None if question.url else {}
        return (
            ElicitationAnswer("accept", content) if is_confirmed else ElicitationAnswer("decline")
        )
    if Question(kind="form", text="", schema=form).faults(reply):
        return None
    return ElicitationAnswer("accept", reply)
