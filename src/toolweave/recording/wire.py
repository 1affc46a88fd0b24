"""Calls, results, errors and model requests as JSON, and back."""

import base64
from typing import Literal

from toolweave.catalog.resources.model import ModelQuestion
from toolweave.errors import (
    Cancelled,
    Conflict,
    Denied,
    Invalid,
    Limited,
    NotFound,
    TimedOut,
    ToolweaveError,
    Unavailable,
)
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.elicitation import (
    AnsweredQuestion,
    Asker,
    ElicitationAnswer,
    ElicitationQuestion,
)
from toolweave.tools.tool import Content, ToolProgress, ToolResult

_ERRORS: dict[str, type[ToolweaveError]] = {
    one.__name__: one
    for one in (Cancelled, Conflict, Denied, Invalid, Limited, NotFound, TimedOut, Unavailable)
}
_ACTIONS: dict[str, Literal["accept", "decline", "cancel"]] = {
    "accept": "accept",
    "decline": "decline",
}
_MIME = "mimeType"


def write_result(result: ToolResult) -> JsonObject:
    """Return a result as `tools/call` sends it."""
    wire: JsonObject = {"content": [_block(block) for block in result.content]}
    if result.structured is not None:
        wire["structuredContent"] = result.structured
    if result.is_error:
        wire["isError"] = True
    if result.tokens_used is not None:
        wire["_meta"] = {"tokensUsed": result.tokens_used}
    return wire


def _block(block: Content) -> JsonObject:
    meta = block.about.get("resourceMeta")
    about = {name: value for name, value in block.about.items() if name != "resourceMeta"}
    wire = {**_plain_block(block), **about}
    if isinstance(resource := wire.get("resource"), dict) and meta is not None:
        wire["resource"] = {**resource, "_meta": meta}
    return wire


def _plain_block(block: Content) -> JsonObject:
    data = None if block.data is None else base64.b64encode(block.data).decode()
    mime: JsonObject = {} if block.mime_type is None else {_MIME: block.mime_type}
    match block.kind:
        case "text":
            return {"type": "text", "text": block.text}
        case "link":
            about = {"title": block.title, "description": block.description}
            link: JsonObject = {"uri": block.uri, "name": block.name or block.uri, **mime}
            known = {name: text for name, text in about.items() if text is not None}
            return {"type": "resource_link", **link, **known}
        case "resource":
            body: JsonObject = {"text": block.text} if data is None else {"blob": data}
            return {"type": "resource", "resource": {"uri": block.uri, **body, **mime}}
        case _:
            return {"type": block.kind, "data": data, **mime}


def write_progress(progress: ToolProgress, after_ms: float) -> JsonObject:
    """Return a progress report of a call."""
    wire: JsonObject = {"after_ms": round(after_ms, 3), "progress": progress.done}
    if progress.total is not None:
        wire["total"] = progress.total
    if progress.message is not None:
        wire["message"] = progress.message
    return wire


def write_asked(question: ElicitationQuestion, answer: ElicitationAnswer) -> JsonObject:
    """Return a question of a tool during a call, and what was answered."""
    params: JsonObject = {"message": question.message}
    if question.url is not None:
        params |= {"mode": "url", "url": question.url}
    else:
        params |= {"mode": "form", "requestedSchema": question.schema}
    told: JsonObject = {"action": answer.action}
    if answer.content is not None:
        told["content"] = answer.content
    return {"method": "elicitation/create", "params": params, "answer": told}


def read_asked(server: str, wire: JsonObject) -> AnsweredQuestion:
    """Return the question and the answer that were written."""
    params, told = wire.get("params"), wire.get("answer")
    asked, answer = _object(params), _object(told)
    url, schema, action = asked.get("url"), asked.get("requestedSchema"), answer.get("action")
    content = answer.get("content")
    question = ElicitationQuestion(
        server,
        str(asked.get("message")),
        schema if isinstance(schema, dict) else None,
        url if isinstance(url, str) else None,
    )
    return AnsweredQuestion(
        question,
        ElicitationAnswer(
            _ACTIONS.get(str(action), "cancel"), content if isinstance(content, dict) else None
        ),
    )


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def keeping(asker: Asker | None, asked: list[JsonObject]) -> Asker | None:
    """Return an asker that notes each question with its answer."""
    if asker is None:
        return None

    async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
        answer = await asker(question)
        asked.append(write_asked(question, answer))
        return answer

    return ask


def write_error(error: ToolweaveError) -> JsonObject:
    """Return an error with its class, which decides whether a step tries again."""
    facts: dict[str, Json] = {key: _plain(value) for key, value in error.facts.items()}
    wire: JsonObject = {
        "class": type(error).__name__ if type(error).__name__ in _ERRORS else "ToolweaveError",
        "code": error.code,
        "message": error.message,
    }
    if error.hint:
        wire["hint"] = error.hint
    if facts:
        wire["facts"] = facts
    problems = error.problems if isinstance(error, Invalid) else ()
    if problems:
        wire["problems"] = [problem.as_json() for problem in problems]
    return wire


def _plain(value: object) -> Json:
    return value if isinstance(value, str | int | float | bool) else str(value)


def read_error(wire: JsonObject) -> ToolweaveError:
    """Return the error that was written."""
    kind = _ERRORS.get(str(wire.get("class")), ToolweaveError)
    hint, facts, listed = wire.get("hint"), wire.get("facts"), wire.get("problems")
    code, message = str(wire.get("code")), str(wire.get("message"))
    told = hint if isinstance(hint, str) else None
    known = facts if isinstance(facts, dict) else {}
    if kind is Invalid:
        problems = [_problem(one) for one in (listed if isinstance(listed, list) else [])]
        return Invalid(code, message, hint=told, facts=known, problems=problems)
    return kind(code, message, hint=told, facts=known)


def _problem(wire: Json) -> Problem:
    found = wire if isinstance(wire, dict) else {}
    hint = found.get("hint")
    return Problem(
        str(found.get("code")),
        str(found.get("pointer", "")),
        str(found.get("message")),
        hint=hint if isinstance(hint, str) else None,
    )


def write_question(question: ModelQuestion) -> JsonObject:
    """Return what a request asks a model; its deadline depends on the time of the run."""
    return question.model_dump(mode="json", exclude={"deadline_s"}, exclude_defaults=True)
