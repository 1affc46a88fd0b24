"""Questions of runs as MCP forms, and the answers from them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from toolweave.engine.engine import Engine
from toolweave.engine.events import (
    Answered,
    Event,
    Finished,
    Key,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepStarted,
    StepWaiting,
)
from toolweave.errors import Conflict
from toolweave.json_text import Json, JsonObject, write
from toolweave.mcp_server.tool_call import McpCaller
from toolweave.workflow.question import ANSWER, CONFIRMED, DECLINED, Question, question_of

# Questions on other channels are answered there.
_OURS = frozenset({"inbox", "mcp"})
MAX_SHOWN_CHARS = 4_000

Questions = dict[Key, Question]


def can_be_asked(caller: McpCaller, question: Question | None = None) -> bool:
    """Whether the client shows forms, or opens the page of the question.

    A client that names no mode shows forms.
    """
    offered = caller.capabilities.elicitation
    if question is not None and opens_page(caller, question):
        return True
    return offered is not None and (offered.form is not None or offered.url is None)


def opens_page(caller: McpCaller, question: Question) -> bool:
    """Whether the client itself asks to open the page of a question."""
    offered = caller.capabilities.elicitation
    return question.url is not None and offered is not None and offered.url is not None


def asked_here(asked: JsonObject | None) -> Question | None:
    """The question of a waiting step, if a person answers it through this server."""
    question = question_of(asked)
    return question if question is not None and question.channel in _OURS else None


def note(open_questions: Questions, event: Event, prefix: str = "") -> None:
    """Update `open_questions` with one event, of a called run if there is a prefix."""
    match event:
        case StepWaiting(key):
            question = asked_here(event.question)
            if question is not None:
                open_questions[prefix + key] = question
        case Answered(key) | StepStarted(key):
            open_questions.pop(prefix + key, None)
        case StepFinished(key) | StepFailed(key) | StepCancelled(key):
            _close(open_questions, f"{prefix}{key}/")
        case Finished():
            _close(open_questions, prefix)
        case _:
            pass


def _close(open_questions: Questions, prefix: str) -> None:
    for key in [key for key in open_questions if key.startswith(prefix)]:
        del open_questions[key]


def requests(
    questions: Mapping[Key, Question], caller: McpCaller
) -> dict[str, types.ElicitRequest]:
    """The requests to the client by step."""
    return {key: _request(question, caller) for key, question in questions.items()}


def _request(question: Question, caller: McpCaller) -> types.ElicitRequest:
    """One question as a form, or as a page to open."""
    text = text_of(question)
    if question.url is not None and opens_page(caller, question):
        page = types.ElicitRequestURLParams(
            message=text, url=question.url, elicitation_id=question.id
        )
        return types.ElicitRequest(params=page)
    form = types.ElicitRequestFormParams(message=text, requested_schema=dict(question.schema))
    return types.ElicitRequest(params=form)


def text_of(question: Question) -> str:
    """The text for the person: title, question and the data to review."""
    parts = [question.title, question.text]
    if question.content is not None:
        parts.append("\n".join(_lines(question.content))[:MAX_SHOWN_CHARS])
    return "\n\n".join(part for part in parts if part)


def _lines(value: Json, indent: str = "") -> Iterator[str]:
    """Data as indented lines, one value each: people read this, not programs."""
    match value:
        case dict() | list():
            named = value.items() if isinstance(value, dict) else (("-", one) for one in value)
            for name, child in named:
                label = name if name == "-" else f"{name}:"
                if isinstance(child, dict | list) and child:
                    yield f"{indent}{label}"
                    yield from _lines(child, f"{indent}  ")
                else:
                    yield f"{indent}{label} {_plain(child)}"
        case _:
            yield f"{indent}{_plain(value)}"


def _plain(value: Json) -> str:
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case None | {} | []:
            return "none"
        case _:
            return write(value)


def reply_of(result: types.ElicitResult, question: Question, caller: McpCaller) -> Json:
    """The answer; `None` if the person closed the form."""
    match result.action:
        case "accept" if opens_page(caller, question):
            return {ANSWER: CONFIRMED}
        case "accept":
            content: JsonObject = dict[str, Json](result.content or {})  # type: ignore[arg-type]
            return content
        case "decline":
            return dict(DECLINED)
        case _:
            return None


def replies_in(responses: Mapping[str, Any] | None) -> dict[Key, types.ElicitResult]:
    """The answers that a client sends with a call; others are ignored."""
    found: dict[Key, types.ElicitResult] = {}
    for key, response in (responses or {}).items():
        with suppress(ValidationError):
            found[key] = types.ElicitResult.model_validate(response)
    return found


async def answer(engine: Engine, run: str, key: Key, reply: Json, caller: McpCaller) -> str | None:
    """Submit an answer; return why it does not count, if it does not."""
    try:
        return await engine.answer(run, key, reply, by=caller.person, via="mcp")
    except Conflict as error:
        return error.message  # another person answered first


def parked(run: str, status: str, questions: Mapping[Key, Question]) -> JsonObject:
    """The answer for a run that the client cannot wait for, with the next call to make."""
    payload: JsonObject = {"run_id": run, "status": status}
    if questions:
        payload["asks"] = [_asked(key, question) for key, question in questions.items()]
        payload["next"] = "ask your user, then call run_respond with run_id, step and reply"
    else:
        payload["next"] = "call run_status with run_id until the run ends, then run_result"
    return payload


def _asked(key: Key, question: Question) -> JsonObject:
    asked: JsonObject = {"step": key, "text": text_of(question), "schema": question.schema}
    # Only their answers count.
    return {**asked, "people": list(question.people)} if question.people else asked
