"""Send one request to a provider: plain or streamed, with size limits and typed errors."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from toolweave import json_text
from toolweave.assistant.provider import Broken, Provider, Request
from toolweave.assistant.response_fields import Unreadable, read_part
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, TextListener
from toolweave.errors import Invalid, Limited, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.settings import MIB

MAX_ANSWER_BYTES = 16 * MIB
MAX_ERROR_BYTES = 64 * 1024
MAX_EVENT_BYTES = 4 * MIB
# HTTP statuses of an overloaded or failing provider.
BUSY = frozenset({429, 529})
DONE = "[DONE]"


class WebAnswer(Protocol):
    """A response whose body is not read yet; header names are in lower case."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def pieces(self) -> AsyncIterator[bytes]: ...


class Web(Protocol):
    """The HTTP client for model addresses."""

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes
    ) -> AbstractAsyncContextManager[WebAnswer]:
        """Send a request.

        Raises `Denied`: `HTTP_ADDRESS_DENIED`; `Invalid`: `HTTP_URL_INVALID`,
        `HTTP_HEADER_INVALID`; `Unavailable`: the address cannot be reached, or the connection
        breaks.
        """
        ...


async def send(
    web: Web,
    provider: Provider,
    request: Request,
    question: ModelQuestion,
    on_text: TextListener | None,
) -> ModelReply:
    """Send one request. Raises `MODEL_LIMITED`, `MODEL_REFUSED`, `MODEL_UNAVAILABLE`."""
    body = json_text.write(request.body).encode()
    try:
        async with web.post(request.url, request.headers, body) as answer:
            if answer.status != 200:
                raise await _refusal(provider, answer)
            if on_text is not None and _is_events(answer):
                found = await _streamed(provider, answer, on_text)
            else:
                found = await _plain(answer)
                await _tell(provider.read(found, question), on_text)
        return provider.read(found, question)
    except Unreadable as error:
        raise provider_unavailable(provider, f"unexpected response: {error}") from None
    except Broken as error:
        if error.is_limited:
            raise rate_limited(provider, str(error), None) from None
        raise provider_unavailable(provider, f"the response was interrupted: {error}") from None


async def _tell(reply: ModelReply, on_text: TextListener | None) -> None:
    """Handle a plain response to a streaming request."""
    if on_text is not None and reply.message.text:
        await on_text(reply.message.text)


def _is_events(answer: WebAnswer) -> bool:
    return answer.headers.get("content-type", "").lower().startswith("text/event-stream")


async def _plain(answer: WebAnswer) -> JsonObject:
    data = await _whole(answer, MAX_ANSWER_BYTES)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        value = json_text.read(data)
    except Invalid:
        begin = data[:80].decode(errors="replace")
        raise Unreadable(f"{kind or 'unknown content'!r} instead of JSON: {begin!r}") from None
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    return value


async def _whole(answer: WebAnswer, most: int) -> bytes:
    data = bytearray()
    async for piece in answer.pieces():
        data += piece
        if len(data) > most:
            raise Unreadable(f"more than {most} bytes")
    return bytes(data)


async def _streamed(provider: Provider, answer: WebAnswer, on_text: TextListener) -> JsonObject:
    stream = provider.stream()
    async for data in _events(answer):
        if data.strip() == DONE:
            break
        try:
            event = json_text.read(data)
        except Invalid:
            raise Unreadable(f"an event that is not JSON: {data[:80]!r}") from None
        if not isinstance(event, dict):
            raise Unreadable("an event that is not a JSON object")
        text = stream.take(event)
        if text:
            await on_text(text)
    if not stream.is_complete:
        raise Unreadable("the stream ended before the answer was complete")
    return stream.answer()


async def _events(answer: WebAnswer) -> AsyncIterator[str]:
    lines: list[str] = []
    rest, total = bytearray(), 0
    async for piece in answer.pieces():
        rest += piece
        total += len(piece)
        if total > MAX_ANSWER_BYTES or len(rest) > MAX_EVENT_BYTES:
            raise Unreadable(f"a stream of more than {MAX_ANSWER_BYTES} bytes")
        *whole, last = rest.split(b"\n")
        rest = bytearray(last)
        for line in whole:
            text = line.decode(errors="replace").removesuffix("\r")
            if text.startswith("data:"):
                lines.append(text[5:].removeprefix(" "))
            elif not text and lines:
                yield "\n".join(lines)
                lines = []
    if lines:
        yield "\n".join(lines)


async def _refusal(provider: Provider, answer: WebAnswer) -> ToolweaveError:
    try:
        data = await _whole(answer, MAX_ERROR_BYTES)
    except Unreadable:
        data = b""
    said = _said(data)
    status = answer.status
    detail = f"HTTP {status}" + (f": {said}" if said else "")
    if status in BUSY:
        return rate_limited(provider, detail, retry_after_s(answer.headers))
    if status in {401, 403}:
        return Invalid(
            "MODEL_REFUSED",
            f"{provider.title} rejected the API key: {detail}",
            hint="set a valid key with `toolweave models add` or in the environment",
            facts={"status": status},
        )
    if 400 <= status < 500 and status != 408:
        return Invalid(
            "MODEL_REFUSED",
            f"{provider.title} rejected the request: {detail}",
            hint="check the model's name, the base URL and the request",
            facts={"status": status},
        )
    return provider_unavailable(provider, detail, retry_after_s(answer.headers), status)


def _said(data: bytes) -> str:
    """Return the provider's error message; empty for an HTML page."""
    try:
        value: Json = json_text.read(data)
    except Invalid:
        return ""
    if isinstance(value, list) and value:
        value = value[0]
    error = read_part(value).get("error")
    message = read_part(error).get("message") if isinstance(error, dict) else error
    return message[:500] if isinstance(message, str) else ""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in `Retry-After`; a date is ignored."""
    try:
        detail = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return detail if 0 <= detail < float("inf") else None


def rate_limited(provider: Provider, why: str, wait_s: float | None) -> Limited:
    """Return the error for a rate limit."""
    return Limited(
        "MODEL_LIMITED",
        f"{provider.title} is rate limiting requests: {why}",
        hint="try again later, or configure another model",
        facts={} if wait_s is None else {"retry_after_s": wait_s},
    )


def provider_unavailable(
    provider: Provider, why: str, wait_s: float | None = None, status: int | None = None
) -> Unavailable:
    """Return the error for a provider without a usable response."""
    facts: dict[str, Json] = {} if wait_s is None else {"retry_after_s": wait_s}
    if status is not None:
        facts["status"] = status
    return Unavailable(
        "MODEL_UNAVAILABLE",
        f"{provider.title} is unavailable: {why}",
        hint="check the base URL, or try again later",
        facts=facts,
    )
