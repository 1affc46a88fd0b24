"""Validation of the real providers: required fields, role order, results without a call."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from toolweave.testing.model_wire import Body, Wire


def faults_of(wire: Wire, headers: Mapping[str, str], body: Body) -> list[str]:
    """Return all violations of the provider's documented rules."""
    faults = {"messages": _of_messages, "chat": _of_chat, "generate": _of_generate}
    faults["ollama"] = _of_ollama
    if headers.get("content-type") != "application/json":
        return ["content-type must be application/json"]
    return list(faults[wire](headers, body))


def _of_messages(headers: Mapping[str, str], body: Body) -> Iterator[str]:
    if not headers.get("x-api-key"):
        yield "x-api-key header is required"
    if headers.get("anthropic-version") != "2023-06-01":
        yield "anthropic-version: header is required"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Field required"
    messages: list[Body] = body.get("messages") or []
    if not messages or messages[0].get("role") != "user":
        yield "messages: first message must use the user role"
    roles = [one.get("role") for one in messages]
    if any(one == other for one, other in pairwise(roles)):
        yield "messages: roles must alternate"
    for tool in body.get("tools", []):
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools: {tool.get('name')}: input_schema.type must be object"
        yield from _of_name(tool.get("name"))
    yield from _of_blocks(messages)


def _of_blocks(messages: list[Body]) -> Iterator[str]:
    open_calls: set[str] = set()
    for message in messages:
        content = message.get("content", [])
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = {one["tool_use_id"] for one in blocks if one.get("type") == "tool_result"}
        if results != open_calls:
            yield "messages: each tool_use must have a single tool_result in the next message"
        if any(one.get("type") == "text" and not one["text"].strip() for one in blocks):
            yield "messages: text content blocks must be non-empty"
        if not blocks:
            yield "messages: content is empty"
        open_calls = {one["id"] for one in blocks if one.get("type") == "tool_use"}
    if open_calls:
        yield "messages: a tool_use has no tool_result"


def _of_chat(headers: Mapping[str, str], body: Body) -> Iterator[str]:
    del headers  # many servers with this format need no key
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "you must provide a model parameter"
    messages: list[Body] = body.get("messages") or []
    if not messages:
        yield "messages: array is too short"
    open_calls: list[str] = []
    for message in messages:
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield "messages with role 'tool' must follow a message with 'tool_calls'"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield "an assistant message with 'tool_calls' must be followed by tool messages"
        if role not in {"system", "user", "assistant"}:
            yield f"messages: role {role!r} is not known"
        open_calls = [one["id"] for one in message.get("tool_calls", [])]
    for tool in body.get("tools", []):
        if tool.get("type") != "function" or "function" not in tool:
            yield "tools: type must be function"
        yield from _of_name(tool.get("function", {}).get("name"))


def _of_ollama(headers: Mapping[str, str], body: Body) -> Iterator[str]:
    yield from _of_chat(headers, body)
    if body.get("stream") is not False:
        yield "stream must be false for a single response"
    if not isinstance(body.get("format", {}), dict):
        yield "invalid JSON schema in format"


def _of_generate(headers: Mapping[str, str], body: Body) -> Iterator[str]:
    if not headers.get("x-goog-api-key"):
        yield "method doesn't allow unregistered callers"
    contents: list[Body] = body.get("contents") or []
    if not contents:
        yield "contents is not specified"
    for content in contents:
        if content.get("role") not in {"user", "model"}:
            yield "please use a valid role: user, model"
        if not content.get("parts"):
            yield "contents.parts must not be empty"
    shaped = body.get("generationConfig", {}).get("responseMimeType") == "application/json"
    if shaped and body.get("tools"):
        yield "function calling with a response mime type 'application/json' is unsupported"
    for tool in body.get("tools", []):
        for declared in tool.get("functionDeclarations", []):
            yield from _of_name(declared.get("name"))


# Any: arbitrary JSON of the request.
def _of_name(name: Any) -> Iterator[str]:
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    if not isinstance(name, str) or not 0 < len(name) <= 64 or not set(name) <= allowed:
        yield f"the tool name {name!r} is invalid"
