"""A tool call as a step: the step waits while a person answers a question of the tool."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast

from toolweave.catalog.node import CALL_HOLDER, NodeContext, Resumed, Wait
from toolweave.clock import timestamp
from toolweave.errors import TimedOut
from toolweave.json_text import Json, JsonObject
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import CallId, TaskHandle, ToolCall, ToolResult
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

    @classmethod
    def is_in(cls, memory: Json) -> bool:
        """Whether the memory of a wait has a question."""
        return isinstance(memory, dict) and "question" in memory

    def as_json(self) -> JsonObject:
        """Return it as the memory of a wait."""
        answered: list[Json] = [asdict(one) for one in self.answered]
        return {
            "question": asdict(self.question),
            "until": timestamp(self.until),
            "answered": answered,
        }


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of the server, which the step polls."""

    id: str
    poll_s: float
    expires: datetime | None

    @classmethod
    def begun(cls, handle: TaskHandle, now: datetime) -> "_Task":
        ttl_s = handle.ttl_s
        expires = None if ttl_s is None else now + timedelta(seconds=ttl_s)
        return cls(handle.id, handle.poll_s, expires)

    @classmethod
    def of(cls, memory: Json) -> "_Task | None":
        """Read what `as_json` wrote."""
        # Any: written by `as_json`.
        kept = cast("dict[str, Any]", memory).get("task") if isinstance(memory, dict) else None
        if kept is None:
            return None
        expires = kept["expires"]
        return cls(
            kept["id"], kept["pollS"], None if expires is None else datetime.fromisoformat(expires)
        )

    def as_json(self) -> JsonObject:
        """Return it as a part of the memory of a wait."""
        expires = None if self.expires is None else timestamp(self.expires)
        return {"task": {"id": self.id, "pollS": self.poll_s, "expires": expires}}

    def poll(self, context: NodeContext, call: ToolCall) -> ToolCall:
        """Return the call that asks for its state.

        Raises `TimedOut`: `TASK_EXPIRED`.
        """
        if self.expires is not None and context.now() > self.expires:
            raise TimedOut(
                "TASK_EXPIRED",
                f"task {self.id!r} of server {call.server!r} did not end in the time the server "
                "keeps it",
                hint="what the tool did is not known; check it before you run it again",
            )
        return replace(
            call,
            tool="tasks/get",
            method="tasks/get",
            arguments={"taskId": self.id},
            effect="keyed",
            id=CallId(str(uuid.uuid4())),
        )


async def call_tool(
    context: NodeContext, call: ToolCall, *, polls: bool = True
) -> ToolResult | Wait:
    """Return the result of the call, or a wait for the answer to a question of the tool.

    With `polls`, the step also waits between the polls of a task; else the call does.
    """
    calls = context.resources.step_calls
    if calls is None:
        return await context.tools.call(call, on_progress=context.progress)
    answered: Sequence[AnsweredQuestion] = ()
    task: _Task | None = None
    if context.resumed is not None:
        task = _Task.of(context.resumed.memory)
        if _Asked.is_in(context.resumed.memory):
            asked = _Asked.of(context.resumed.memory)
            answer = _answer(asked.question, context.resumed)
            if answer is None:
                return _wait(context, asked, call, task, again=True)
            answered = (*asked.answered, AnsweredQuestion(asked.question, answer))
    current = replace(call, returns_task=polls) if task is None else task.poll(context, call)
    outcome = await calls.call(
        context.key, current, on_progress=context.progress, answered=answered
    )
    if not isinstance(outcome, ToolResult):
        until = context.now() + ANSWER_WITHIN
        return _wait(context, _Asked(outcome, until, tuple(answered)), call, task)
    if outcome.task is None:
        return outcome
    # The id is in the journal before the first poll: a restart goes on polling.
    task = task or _Task.begun(outcome.task, context.now())
    until = context.now() + timedelta(seconds=task.poll_s)
    return Wait(until=until, memory=task.as_json(), effect="keyed")


def _wait(
    context: NodeContext, asked: _Asked, call: ToolCall, task: _Task | None, *, again: bool = False
) -> Wait:
    question = _shown(asked, call, question_id(context.key), again=again)
    memory = asked.as_json() if task is None else {**asked.as_json(), **task.as_json()}
    calls = context.resources.step_calls
    if calls is not None and not asked.question.is_repeatable:
        # Only this process can give the call its answer.
        memory[CALL_HOLDER] = calls.holder
    effect = None if task is None else "keyed"
    return Wait(until=asked.until, question=question.as_json(), memory=memory, effect=effect)


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
        schema=approval_schema(has_comment=False) if form is None else form,
        title=f"Tool {call.label!r} of server {call.server!r} asks",
        id=id_,
        options=("Approve", "Decline") if form is None else (),
        channel="mcp",
        url=question.url,
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
