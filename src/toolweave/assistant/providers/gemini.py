"""Google's generateContent format."""

import uuid
from dataclasses import dataclass, field
from urllib.parse import quote

from toolweave import json_text
from toolweave.assistant.provider import Broken, Request, Stopped, Stream, StructuredOutput, Target
from toolweave.assistant.response_fields import (
    Unreadable,
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
    "STOP": "end",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
}
_MODES = {"auto": "AUTO", "any": "ANY", "none": "NONE"}
_SIGNATURE = "thoughtSignature"


class Gemini:
    """Gemini models."""

    name = "gemini"
    title = "Google Gemini"
    base_url: str | None = "https://generativelanguage.googleapis.com"
    model: str | None = "gemini-2.5-flash"
    key_variable: str | None = "GEMINI_API_KEY"
    structured_output: StructuredOutput | None = "tools"

    def request(self, question: ModelQuestion, target: Target, *, streams: bool) -> Request:
        """Encode a request for this provider."""
        headers = {"content-type": "application/json"}
        if target.key:
            headers["x-goog-api-key"] = target.key
        body: JsonObject = {"contents": _contents(question.messages)}
        system = _system(question)
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        settings: JsonObject = {
            "maxOutputTokens": question.max_tokens,
            "temperature": question.temperature,
            "topP": question.top_p,
        }
        if question.shape is not None and not question.tools:
            settings |= {
                "responseMimeType": "application/json",
                "responseJsonSchema": question.shape,
            }
        settings = {name: value for name, value in settings.items() if value is not None}
        settings |= read_part(question.extra.get("generationConfig"))
        if settings:
            body["generationConfig"] = settings
        extra = {n: value for n, value in question.extra.items() if n != "generationConfig"}
        base = target.base_url.rstrip("/").removesuffix("/v1beta")
        how = "streamGenerateContent?alt=sse" if streams else "generateContent"
        url = f"{base}/v1beta/models/{quote(target.model, safe='')}:{how}"
        body |= _tools(question)
        body |= extra
        return Request(url, headers, body)

    def stream(self) -> Stream:
        """Return an assembler for one streamed response."""
        return _Stream()

    def read(self, answer: JsonObject, question: ModelQuestion) -> ModelReply:
        """Decode a plain response."""
        del question
        blocked = read_part(answer.get("promptFeedback")).get("blockReason")
        candidates = read_list(answer.get("candidates"), "candidates")
        if not candidates and blocked is None:
            raise Unreadable("it has no candidates")
        candidate = read_object(candidates[0], "a candidate") if candidates else {}
        content = read_part(candidate.get("content"))
        parts = [read_object(one, "a part") for one in read_list(content.get("parts"), "parts")]
        text = "".join(
            read_text(one.get("text"), "text") for one in parts if not one.get("thought")
        )
        calls = tuple(_call(one) for one in parts if "functionCall" in one)
        reason: Stopped = _STOPPED.get(
            read_text(candidate.get("finishReason"), "finishReason"), "other"
        )
        if blocked is not None:
            reason = "refused"
        elif calls:
            reason = "tools"
        return ModelReply(
            message=ToolAnswer(text=text, wanted=calls),
            model=read_text(answer.get("modelVersion"), "modelVersion"),
            provider=self.name,
            stopped=reason,
            usage=_usage(read_part(answer.get("usageMetadata"))),
        )


def _system(question: ModelQuestion) -> str:
    if question.shape is None or not question.tools:
        return question.system
    # The format cannot request structured output together with tools, so the prompt does.
    shape = json_text.write(question.shape)
    asked = f"When you answer without a tool, answer with JSON only, of this JSON Schema:\n{shape}"
    return f"{question.system}\n\n{asked}".strip()


def _contents(messages: tuple[Message, ...]) -> list[Json]:
    given = {
        one.id: one for each in messages if isinstance(each, ToolAnswer) for one in each.wanted
    }
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        role = "model" if isinstance(message, ToolAnswer) else "user"
        parts = _parts(message, given)
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    return [{"role": role, "parts": parts} for role, parts in turns]


def _parts(message: Message, given: dict[str, ModelChoiceRequest]) -> list[Json]:
    match message:
        case Said():
            pictures: list[Json] = [
                {"inlineData": {"mimeType": one.media_type, "data": one.data}}
                for one in message.pictures
            ]
            return [{"text": message.text}, *pictures]
        case ToolAnswer():
            text: list[Json] = (
                [{"text": message.text}] if message.text or not message.wanted else []
            )
            return [*text, *map(_wanted, message.wanted)]
        case Called():
            response: JsonObject = {"name": message.name}
            call = given.get(message.id)
            if call is not None and "id" in call.carried:
                response["id"] = call.carried["id"]
            key = "error" if message.is_error else "result"
            response["response"] = {key: message.text}
            return [{"functionResponse": response}]


def _wanted(wanted: ModelChoiceRequest) -> JsonObject:
    call: JsonObject = {"name": wanted.name, "args": wanted.arguments}
    if "id" in wanted.carried:
        call["id"] = wanted.carried["id"]
    part: JsonObject = {"functionCall": call}
    if _SIGNATURE in wanted.carried:
        part[_SIGNATURE] = wanted.carried[_SIGNATURE]
    return part


def _call(part: JsonObject) -> ModelChoiceRequest:
    call = read_object(part.get("functionCall"), "functionCall")
    carried = {_SIGNATURE: part[_SIGNATURE]} if _SIGNATURE in part else {}
    own = read_text(call.get("id"), "id")
    if own:
        carried["id"] = own
    return ModelChoiceRequest(
        id=own or f"call_{uuid.uuid4().hex[:12]}",
        name=read_text(call.get("name"), "name"),
        arguments=read_object(call.get("args") or {}, "args"),
        carried=carried,
    )


def _tools(question: ModelQuestion) -> JsonObject:
    declared: list[Json] = [
        {
            "name": one.name,
            "description": one.description,
            "parametersJsonSchema": one.parameters,
        }
        for one in question.tools
    ]
    if not declared:
        return {}
    mode: JsonObject = {"mode": _MODES[question.choice]}
    return {
        "tools": [{"functionDeclarations": declared}],
        "toolConfig": {"functionCallingConfig": mode},
    }


def _usage(told: JsonObject) -> TokenUsage:
    return TokenUsage(
        input_tokens=read_count(told.get("promptTokenCount")),
        output_tokens=read_count(told.get("candidatesTokenCount"))
        + read_count(told.get("thoughtsTokenCount")),
        cached_tokens=read_count(told.get("cachedContentTokenCount")),
    )


@dataclass(slots=True)
class _Stream:
    last: JsonObject = field(default_factory=dict[str, Json])
    parts: list[Json] = field(default_factory=list[Json])
    reason: Json = None

    @property
    def is_complete(self) -> bool:
        return self.reason is not None or "promptFeedback" in self.last

    def take(self, event: JsonObject) -> str:
        if event.get("error") is not None:
            error = read_part(event.get("error"))
            raise Broken(str(error.get("message"))[:500], is_limited=error.get("code") == 429)
        # Usage comes with every event; the last one counts.
        self.last |= event
        candidates = read_list(event.get("candidates"), "candidates")
        if not candidates:
            return ""
        candidate = read_object(candidates[0], "a candidate")
        self.reason = candidate.get("finishReason") or self.reason
        content = read_part(candidate.get("content"))
        fresh = [read_object(one, "a part") for one in read_list(content.get("parts"), "parts")]
        self.parts.extend(fresh)
        return "".join(
            read_text(one.get("text"), "text") for one in fresh if not one.get("thought")
        )

    def answer(self) -> JsonObject:
        if not self.parts and self.reason is None:
            return self.last
        candidate: JsonObject = {"content": {"parts": self.parts}, "finishReason": self.reason}
        return {**self.last, "candidates": [candidate]}


provider = Gemini()
