"""OpenAI's Chat Completions format, which many others support."""

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

_STOPPED: dict[str, Stopped] = {
    "stop": "end",
    "tool_calls": "tools",
    "function_call": "tools",
    "length": "length",
    "content_filter": "refused",
}
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """A provider with this format; `limit_field` is its name for the token limit."""

    name: str
    title: str
    base_url: str | None
    model: str | None
    key_variable: str | None
    limit_field: str
    structured_output: StructuredOutput | None = None

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request for this provider."""
        headers = {"content-type": "application/json"}
        if target.key:
            headers["authorization"] = f"Bearer {target.key}"
        system: list[Json] = (
            [{"role": "system", "content": question.system}] if question.system else []
        )
        body: JsonObject = {
            "model": target.model,
            "messages": [*system, *map(_message, question.messages)],
        }
        settings: JsonObject = {
            self.limit_field: question.max_tokens,
            "temperature": question.temperature,
            "top_p": question.top_p,
        }
        body |= {name: value for name, value in settings.items() if value is not None}
        if streams:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        url = target.base_url.rstrip("/") + "/chat/completions"
        body |= _tools(question)
        body |= _shape(question)
        body |= question.extra
        return Request(url, headers, body)

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        return _Stream()

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response."""
        del question
        choices = read_list(answer.get("choices"), "choices")
        if not choices:
            raise Unreadable("it has no choices")
        choice = read_object(choices[0], "a choice")
        message = read_object(choice.get("message"), "message")
        calls = tuple(
            _call(read_object(one, "a tool call"), index)
            for index, one in enumerate(read_list(message.get("tool_calls"), "tool_calls"))
        )
        reason: Stopped = _STOPPED.get(
            read_text(choice.get("finish_reason"), "finish_reason"), "other"
        )
        refusal = read_text(message.get("refusal"), "refusal")
        if calls and reason != "length":
            reason = "tools"
        return ModelReply(
            message=ToolAnswer(
                text=read_text(message.get("content"), "content") or refusal, wanted=calls
            ),
            model=read_text(answer.get("model"), "model"),
            provider=self.name,
            stopped="refused" if refusal else reason,
            usage=_usage(read_part(answer.get("usage"))),
        )


def _message(message: Message) -> JsonObject:
    match message:
        case Said():
            return {"role": "user", "content": _content(message)}
        case ToolAnswer():
            said: JsonObject = {"role": "assistant", "content": message.text or None}
            calls: list[Json] = [
                {
                    "id": one.id,
                    "type": "function",
                    "function": {"name": one.name, "arguments": json_text.write(one.arguments)},
                }
                for one in message.wanted
            ]
            if calls:
                said["tool_calls"] = calls
            else:
                said["content"] = message.text
            return said
        case Called():
            # The format has no flag for a failure.
            text = f"Error: {message.text}" if message.is_error else message.text
            return {"role": "tool", "tool_call_id": message.id, "content": text}


def _content(said: Said) -> Json:
    if not said.pictures:
        return said.text
    pictures: list[Json] = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{one.media_type};base64,{one.data}"},
        }
        for one in said.pictures
    ]
    text: list[Json] = [{"type": "text", "text": said.text}] if said.text else []
    return [*text, *pictures]


def _tools(question: ModelQuestion) -> JsonObject:
    tools: list[Json] = [
        {
            "type": "function",
            "function": {
                "name": one.name,
                "description": one.description,
                "parameters": one.parameters,
            },
        }
        for one in question.tools
    ]
    return {"tools": tools, "tool_choice": _CHOICES[question.choice]} if tools else {}


def _shape(question: ModelQuestion) -> JsonObject:
    if question.shape is None:
        return {}
    # Not strict: that supports only a subset of JSON Schema, and the caller checks the answer.
    schema: JsonObject = {"name": "answer", "schema": question.shape, "strict": False}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _call(given: JsonObject, index: int) -> ModelChoiceRequest:
    function = read_object(given.get("function"), "function")
    arguments = function.get("arguments")
    # Some servers send the object itself.
    text = (
        json_text.write(arguments)
        if isinstance(arguments, dict)
        else read_text(arguments, "arguments")
    )
    call_id = read_text(given.get("id"), "id") or f"call_{index}"
    return read_call(call_id, read_text(function.get("name"), "name"), text)


def _usage(told: JsonObject) -> TokenUsage:
    details = read_part(told.get("prompt_tokens_details"))
    return TokenUsage(
        input_tokens=read_count(told.get("prompt_tokens")),
        output_tokens=read_count(told.get("completion_tokens")),
        cached_tokens=read_count(details.get("cached_tokens")),
    )


@dataclass(slots=True)
class _Stream:
    text: str = ""
    refusal: str = ""
    reason: Json = None
    model: Json = None
    usage: Json = None
    calls: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])

    @property
    def is_complete(self) -> bool:
        # Some servers never send the final marker; all send a stop reason.
        return self.reason is not None

    def take(self, event: JsonObject) -> str:
        if event.get("error") is not None:
            error = read_part(event.get("error"))
            message = str(error.get("message") or event.get("error"))[:500]
            raise Broken(message, is_limited="rate" in str(error.get("type")))
        self.model = event.get("model") or self.model
        self.usage = event.get("usage") or self.usage
        choices = read_list(event.get("choices"), "choices")
        if not choices:
            return ""
        choice = read_object(choices[0], "a choice")
        self.reason = choice.get("finish_reason") or self.reason
        delta = read_part(choice.get("delta"))
        for one in read_list(delta.get("tool_calls"), "tool_calls"):
            self._grow(read_object(one, "a tool call"))
        piece = read_text(delta.get("content"), "content")
        self.text += piece
        self.refusal += read_text(delta.get("refusal"), "refusal")
        return piece

    def _grow(self, piece: JsonObject) -> None:
        index = piece.get("index")
        place = index if isinstance(index, int) else len(self.calls)
        call = self.calls.setdefault(place, {"id": "", "function": {"name": "", "arguments": ""}})
        call["id"] = read_text(piece.get("id"), "id") or call["id"]
        function, more = read_part(call["function"]), read_part(piece.get("function"))
        call["function"] = {
            "name": read_text(function.get("name"), "name") + read_text(more.get("name"), "name"),
            "arguments": read_text(function.get("arguments"), "arguments")
            + read_text(more.get("arguments"), "arguments"),
        }

    def answer(self) -> JsonObject:
        message: JsonObject = {"content": self.text, "refusal": self.refusal or None}
        message["tool_calls"] = [self.calls[index] for index in sorted(self.calls)]
        choice: JsonObject = {"message": message, "finish_reason": self.reason}
        return {"model": self.model, "usage": self.usage, "choices": [choice]}
