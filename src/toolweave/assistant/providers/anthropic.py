"""Anthropic's Messages format."""

from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.assistant.provider import Broken, Request, Stopped, Stream, StructuredOutput, Target
from toolweave.assistant.response_fields import (
    Unreadable,
    read_call,
    read_count,
    read_list,
    read_object,
    read_part,
    read_text,
)
from toolweave.catalog.resources.model import (
    Called,
    Message,
    ModelChoiceRequest,
    ModelQuestion,
    ModelReply,
    Said,
    TokenUsage,
    ToolAnswer,
)
from toolweave.json_text import Json, JsonObject

VERSION = "2023-06-01"
# The format requires a number; nodes can override it.
MAX_TOKENS = 8192
# The tool used to request structured output.
ANSWER = "give_answer"
_STOPPED: dict[str, Stopped] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_CHOICES = {"auto": "auto", "any": "any", "none": "none"}
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


class Anthropic:
    """Claude models."""

    name = "anthropic"
    title = "Anthropic"
    base_url: str | None = "https://api.anthropic.com"
    model: str | None = "claude-sonnet-4-5-20250929"
    key_variable: str | None = "ANTHROPIC_API_KEY"
    structured_output: StructuredOutput | None = "tools"

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request for this provider."""
        headers = {"content-type": "application/json", "anthropic-version": VERSION}
        if target.key:
            headers["x-api-key"] = target.key
        body: JsonObject = {
            "model": target.model,
            "max_tokens": question.max_tokens or MAX_TOKENS,
            "messages": _messages(question.messages),
        }
        if question.system:
            body["system"] = question.system
        if question.temperature is not None:
            body["temperature"] = question.temperature
        if question.top_p is not None:
            body["top_p"] = question.top_p
        if streams:
            body["stream"] = True
        url = target.base_url.rstrip("/").removesuffix("/v1") + "/v1/messages"
        body |= _tools(question)
        body |= question.extra
        return Request(url, headers, body)

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        return _Stream()

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response."""
        blocks = [
            read_object(one, "a part of it") for one in read_list(answer.get("content"), "content")
        ]
        if not blocks and "stop_reason" not in answer:
            raise Unreadable("it has neither content nor a stop reason")
        text = "".join(
            read_text(b.get("text"), "a text") for b in blocks if b.get("type") == "text"
        )
        thoughts: list[Json] = [block for block in blocks if block.get("type") in _THOUGHTS]
        calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
        if calls and thoughts:
            calls[0] = calls[0].model_copy(update={"carried": {"thoughts": thoughts}})
        reason: Stopped = _STOPPED.get(read_text(answer.get("stop_reason"), "stop_reason"), "other")
        value: Json = None
        shaped = next((call for call in calls if call.name == ANSWER), None)
        if question.shape is not None and shaped is not None:
            given = shaped.arguments
            value = given if _is_object(question.shape) else given.get("value")
            text = shaped.unreadable or json_text.write(value)
            calls, reason = [], "end"
        return ModelReply(
            message=ToolAnswer(text=text, wanted=tuple(calls)),
            model=read_text(answer.get("model"), "model"),
            provider=self.name,
            stopped=reason,
            usage=_usage(read_part(answer.get("usage"))),
            value=value,
        )


def _messages(messages: tuple[Message, ...]) -> list[Json]:
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        role = "assistant" if isinstance(message, ToolAnswer) else "user"
        parts = _parts(message)
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    return [{"role": role, "content": parts} for role, parts in turns]


def _parts(message: Message) -> list[Json]:
    match message:
        case Said():
            pictures: list[Json] = [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": one.media_type, "data": one.data},
                }
                for one in message.pictures
            ]
            # An empty text is rejected.
            return [*pictures, *_text(message.text or ("" if pictures else "(no text)"))]
        case ToolAnswer():
            thoughts = [
                one
                for wanted in message.wanted
                for one in read_list(wanted.carried.get("thoughts"), "thoughts")
            ]
            calls: list[Json] = [
                {"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments}
                for one in message.wanted
            ]
            return [*thoughts, *_text(message.text or ("" if calls else "(no text)")), *calls]
        case Called():
            result: JsonObject = {
                "type": "tool_result",
                "tool_use_id": message.id,
                "content": message.text or "(nothing)",
            }
            return [result | ({"is_error": True} if message.is_error else {})]


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _tools(question: ModelQuestion) -> JsonObject:
    tools: list[Json] = [
        {"name": one.name, "description": one.description, "input_schema": one.parameters}
        for one in question.tools
    ]
    choice: JsonObject = {"type": _CHOICES[question.choice]}
    if question.shape is not None:
        schema = question.shape if _is_object(question.shape) else _wrapped(question.shape)
        tools.append(
            {"name": ANSWER, "description": "Give the final answer.", "input_schema": schema}
        )
        alone = not question.tools or question.choice == "none"
        choice = {"type": "tool", "name": ANSWER} if alone else {"type": "any"}
    return {"tools": tools, "tool_choice": choice} if tools else {}


def _is_object(shape: JsonObject) -> bool:
    return shape.get("type") == "object"


def _wrapped(shape: JsonObject) -> JsonObject:
    """Return an object schema; any other schema becomes a field of one."""
    kept = {name: value for name, value in shape.items() if name not in {"$defs", "definitions"}}
    hoisted = {name: shape[name] for name in ("$defs", "definitions") if name in shape}
    return {"type": "object", "properties": {"value": kept}, "required": ["value"], **hoisted}


def _call(block: JsonObject) -> ModelChoiceRequest:
    call_id, name = read_text(block.get("id"), "id"), read_text(block.get("name"), "name")
    given = block.get("input")
    if isinstance(given, str):
        return read_call(call_id, name, given)
    return ModelChoiceRequest(id=call_id, name=name, arguments=read_object(given or {}, "input"))


def _usage(told: JsonObject) -> TokenUsage:
    cached = read_count(told.get("cache_read_input_tokens"))
    made = read_count(told.get("cache_creation_input_tokens"))
    return TokenUsage(
        input_tokens=read_count(told.get("input_tokens")) + cached + made,
        output_tokens=read_count(told.get("output_tokens")),
        cached_tokens=cached,
    )


@dataclass(slots=True)
class _Stream:
    message: JsonObject = field(default_factory=dict[str, Json])
    blocks: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])
    is_complete: bool = False

    def take(self, event: JsonObject) -> str:
        match event.get("type"):
            case "message_start":
                self.message = dict(read_object(event.get("message"), "message"))
            case "content_block_start":
                block = read_object(event.get("content_block"), "content_block")
                self.blocks[read_count(event.get("index"))] = dict(block)
                return read_text(block.get("text"), "text")
            case "content_block_delta":
                return self._grow(
                    read_count(event.get("index")), read_object(event.get("delta"), "delta")
                )
            case "message_delta":
                self.message |= read_object(event.get("delta"), "delta")
                usage = read_part(self.message.get("usage")) | read_part(event.get("usage"))
                self.message["usage"] = usage
            case "message_stop":
                self.is_complete = True
            case "error":
                error = read_part(event.get("error"))
                kind = str(error.get("type"))
                raise Broken(
                    str(error.get("message"))[:500],
                    is_limited=kind in {"rate_limit_error", "overloaded_error"},
                )
            case _:
                pass
        return ""

    def _grow(self, index: int, delta: JsonObject) -> str:
        block = self.blocks.get(index)
        if block is None:
            raise Unreadable(f"part {index} continues without a start")
        match delta.get("type"):
            case "text_delta":
                piece = read_text(delta.get("text"), "text")
                block["text"] = read_text(block.get("text"), "text") + piece
                return piece
            case "input_json_delta":
                before = block.get("input")
                piece = read_text(delta.get("partial_json"), "partial_json")
                block["input"] = (before if isinstance(before, str) else "") + piece
            case "thinking_delta":
                piece = read_text(delta.get("thinking"), "thinking")
                block["thinking"] = read_text(block.get("thinking"), "thinking") + piece
            case "signature_delta":
                block["signature"] = read_text(delta.get("signature"), "signature")
            case _:
                pass
        return ""

    def answer(self) -> JsonObject:
        blocks: list[Json] = [self.blocks[index] for index in sorted(self.blocks)]
        return {**self.message, "content": blocks}


provider = Anthropic()
