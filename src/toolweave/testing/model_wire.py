"""Encode the scripted model's answers in each of the three formats, plain and streamed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from toolweave.json_text import Json, JsonObject

Wire = Literal["messages", "chat", "generate", "ollama"]
# Any: arbitrary JSON bodies.
Body = dict[str, Any]

_ANSWER = "give_answer"


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer; see the functions of `toolweave.testing.model`."""

    text: str = ""
    calls: tuple[tuple[str, JsonObject | str], ...] = ()
    stopped: Literal["end", "tools", "length", "refused"] = "end"
    tokens: tuple[int, int] = (10, 5)
    value: Json = None
    is_shaped: bool = False
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: bytes | None = None
    content_type: str = "application/json"
    cut_after: int | None = None
    holds: bool = False
    wait_s: float = 0.0


def wire_of(path: str) -> Wire:
    """Return the wire format for a path."""
    path = path.partition("?")[0]
    if path.endswith("/messages"):
        return "messages"
    if path.endswith("/api/chat"):
        return "ollama"
    return "chat" if path.endswith("/chat/completions") else "generate"


def plain_of(wire: Wire, turn: Turn, body: Body) -> Body:
    """Return the complete response."""
    match wire:
        case "messages":
            return _message(turn, body)
        case "chat":
            return _completion(turn, body)
        case "generate":
            return _generated(turn, list(_generated_parts(turn)))
        case "ollama":
            return _ollama(turn, body)


def events_of(wire: Wire, turn: Turn, body: Body) -> Iterator[bytes]:
    """Return the response as stream events."""
    match wire:
        case "messages":
            for event in _message_events(turn, body):
                yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        case "chat":
            for event in _completion_events(turn, body):
                yield f"data: {json.dumps(event)}\n\n".encode()
            yield b"data: [DONE]\n\n"
        case "generate":
            *parts, last = _generated_parts(turn)
            for part in parts:
                yield f"data: {json.dumps(_generated(turn, [part], None))}\r\n\r\n".encode()
            yield f"data: {json.dumps(_generated(turn, [last]))}\r\n\r\n".encode()
        case "ollama":
            yield json.dumps(_ollama(turn, body)).encode()


def _arguments(given: JsonObject | str) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def _words(text: str) -> list[str]:
    return [word for word in text.replace(" ", " \0").split("\0") if word]


# Anthropic's Messages


def _message(turn: Turn, body: Body) -> Body:
    blocks = _blocks(turn, body)
    reasons = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refused": "refusal"}
    shaped = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{_number(body)}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if shaped else reasons[turn.stopped],
        "stop_sequence": None,
        "usage": {"input_tokens": turn.tokens[0], "output_tokens": turn.tokens[1]},
    }


def _blocks(turn: Turn, body: Body) -> list[Body]:
    offered = {tool["name"]: tool for tool in body.get("tools", [])}
    if turn.is_shaped and _ANSWER in offered:
        wrapped = set(offered[_ANSWER]["input_schema"].get("properties", {})) == {"value"}
        is_plain = wrapped and not (isinstance(turn.value, dict) and set(turn.value) == {"value"})
        given = {"value": turn.value} if is_plain else turn.value
        return [{"type": "tool_use", "id": "toolu_answer", "name": _ANSWER, "input": given}]
    text = [{"type": "text", "text": turn.text}] if turn.text else []
    number = _number(body)
    uses = [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": given}
        for at, (name, given) in enumerate(turn.calls)
    ]
    return [*text, *uses]


def _number(body: Body) -> str:
    """Return what differs between the requests of a conversation: clients keep one of each id."""
    return sha256(json.dumps(body.get("messages")).encode()).hexdigest()[:12]


def _message_events(turn: Turn, body: Body) -> Iterator[Body]:
    whole = _message(turn, body)
    started: Body = {**whole, "content": [], "stop_reason": None}
    started["usage"] = {"input_tokens": turn.tokens[0], "output_tokens": 1}
    yield {"type": "message_start", "message": started}
    yield {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        is_text = block["type"] == "text"
        empty: Body = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        if is_text:
            deltas = [{"type": "text_delta", "text": word} for word in _words(block["text"])]
        else:
            given = _arguments(block["input"])
            halves = (given[: len(given) // 2], given[len(given) // 2 :])
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": turn.tokens[1]},
    }
    yield {"type": "message_stop"}


# Chat Completions


def _reason(turn: Turn) -> str:
    reasons = {"end": "stop", "tools": "tool_calls", "length": "length"}
    return reasons.get(turn.stopped, "content_filter")


def _tool_calls(turn: Turn) -> list[Body]:
    return [
        {
            "id": f"call_{at}",
            "type": "function",
            "function": {"name": name, "arguments": _arguments(given)},
        }
        for at, (name, given) in enumerate(turn.calls)
    ]


def _usage(turn: Turn) -> Body:
    asked, said = turn.tokens
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _completion(turn: Turn, body: Body) -> Body:
    message: Body = {"role": "assistant", "content": turn.text or None, "refusal": None}
    if turn.calls:
        message["tool_calls"] = _tool_calls(turn)
    choice = {"index": 0, "message": message, "finish_reason": _reason(turn), "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model"),
        "choices": [choice],
        "usage": _usage(turn),
    }


def _completion_events(turn: Turn, body: Body) -> Iterator[Body]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": body.get("model")}

    def chunk(delta: Body, reason: str | None = None) -> Body:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in _words(turn.text):
        yield chunk({"content": word})
    for at, call in enumerate(_tool_calls(turn)):
        given = call["function"]["arguments"]
        begun = {**call, "index": at, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [begun]})
        for half in (given[: len(given) // 2], given[len(given) // 2 :]):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": half}}]})
    yield chunk({}, _reason(turn))
    if body.get("stream_options", {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(turn)}


# generateContent


def _generated_parts(turn: Turn) -> Iterator[Body]:
    for word in _words(turn.text) or ([] if turn.calls else [""]):
        yield {"text": word}
    for name, given in turn.calls:
        call = {"name": name, "args": given}
        yield {"functionCall": call, "thoughtSignature": "c2lnbmVk"}


def _generated(turn: Turn, parts: list[Body], reason: str | None = "") -> Body:
    reasons = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}
    candidate: Body = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reasons[turn.stopped]
    asked, said = turn.tokens
    usage = {"promptTokenCount": asked, "candidatesTokenCount": said}
    usage["totalTokenCount"] = asked + said
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted-gemini"}


# Ollama's chat


def _ollama(turn: Turn, body: Body) -> Body:
    asked, said = turn.tokens
    return {
        "model": body.get("model"),
        "message": {"role": "assistant", "content": turn.text},
        "done": True,
        "done_reason": "length" if turn.stopped == "length" else "stop",
        "prompt_eval_count": asked,
        "eval_count": said,
    }
