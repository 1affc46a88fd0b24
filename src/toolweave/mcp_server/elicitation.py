"""Questions of runs as MCP asks them: forms for the client's person, and answers from them."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from toolweave.engine.engine import Engine
from toolweave.engine.events import Answered, Event, Finished, Key, StepStarted, StepWaiting
from toolweave.errors import Conflict
from toolweave.json_text import Json, JsonObject, write
from toolweave.mcp_server.tool_call import McpCaller
from toolweave.workflow.question import DECLINED, Question, question_of

# What is asked elsewhere is answered there.
_OURS = frozenset({"inbox", "mcp"})
MAX_SHOWN_CHARS = 4_000

Questions = dict[Key, Question]


def can_be_asked(caller: McpCaller) -> bool:
    """Whether the client shows forms; one that names no mode means these."""
    offered = caller.capabilities.elicitation
    return offered is not None and (offered.form is not None or offered.url is None)


def note(open_questions: Questions, event: Event) -> None:
    """Keep `open_questions` as they are after one more event."""
    match event:
        case StepWaiting(key):
            question = question_of(event.question)
            if question is not None and question.channel in _OURS:
                open_questions[key] = question
        case Answered(key) | StepStarted(key):
            open_questions.pop(key, None)
        case Finished():
            open_questions.clear()
        case _:
            pass


def forms(questions: Mapping[Key, Question]) -> dict[str, types.ElicitRequest]:
    """What a client is asked, by step."""
    return {key: form(question) for key, question in questions.items()}


def form(question: Question) -> types.ElicitRequest:
    """One question as a form."""
    params = types.ElicitRequestFormParams(
        message=text_of(question), requested_schema=dict(question.schema)
    )
    return types.ElicitRequest(params=params)


def text_of(question: Question) -> str:
    """What a person reads: the title, the question, and what is to be judged."""
    parts = [question.title, question.text]
    if question.content is not None:
        shown = question.content if isinstance(question.content, str) else write(question.content)
        parts.append(shown[:MAX_SHOWN_CHARS])
    return "\n\n".join(part for part in parts if part)


def reply_of(result: types.ElicitResult) -> Json:
    """What was answered; nothing for a person that closed the form."""
    match result.action:
        case "accept":
            content: JsonObject = dict[str, Json](result.content or {})  # type: ignore[arg-type]
            return content
        case "decline":
            return dict(DECLINED)
        case _:
            return None


def replies_in(responses: Mapping[str, Any] | None) -> dict[Key, types.ElicitResult]:
    """The answers a client sends along with a call; others are not for us."""
    found: dict[Key, types.ElicitResult] = {}
    for key, response in (responses or {}).items():
        with suppress(ValidationError):
            found[key] = types.ElicitResult.model_validate(response)
    return found


async def answer(engine: Engine, run: str, key: Key, reply: Json, caller: McpCaller) -> bool:
    """Hand in an answer; whether it counted: somebody else may have been first."""
    try:
        await engine.answer(run, key, reply, by=caller.who)
    except Conflict:
        return False
    return True


def parked(run: str, status: str, questions: Mapping[Key, Question]) -> JsonObject:
    """What a client is told of a run that it cannot wait for, and how to go on."""
    told: JsonObject = {"run_id": run, "status": status}
    if questions:
        told["asks"] = [
            {"step": key, "text": text_of(question), "schema": question.schema}
            for key, question in questions.items()
        ]
        told["next"] = "ask your user, then call run_respond with run_id, step and reply"
    else:
        told["next"] = "call run_status with run_id until it is over, then run_result"
    return told
