"""One request to a provider and its answer: plain or streamed, always bounded, always typed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from toolweave import json_text
from toolweave.assistant.provider import Broken, Provider, Request
from toolweave.assistant.response_fields import Unreadable, the_part
from toolweave.errors import Invalid, Limited, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.model import ModelQuestion, ModelReply, TextListener
from toolweave.settings import MIB

MAX_ANSWER_BYTES = 16 * MIB
MAX_ERROR_BYTES = 64 * 1024
MAX_EVENT_BYTES = 4 * MIB
# What a provider says when it has too much to do, or when something of its own broke.
BUSY = frozenset({429, 529})
DONE = "[DONE]"


class WebAnswer(Protocol):
    """An answer whose body is still to be read; header names are in lower case."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def pieces(self) -> AsyncIterator[bytes]: ...


class Web(Protocol):
    """The checked HTTP client, for addresses of models; `app` has the real one."""

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes
    ) -> AbstractAsyncContextManager[WebAnswer]:
        """Send a request.

        Raises:
            Denied: `HTTP_ADDRESS_DENIED`.
            Invalid: `HTTP_URL_INVALID`, `HTTP_HEADER_INVALID`.
            Unavailable: it cannot be reached, or breaks off.
        """
        ...


async def send(
    web: Web,
    provider: Provider,
    request: Request,
    question: ModelQuestion,
    on_text: TextListener | None,
) -> ModelReply:
    """Ask once.

    Raises:
        Limited: `MODEL_LIMITED`.
        Invalid: `MODEL_REFUSED`.
        Unavailable: `MODEL_UNAVAILABLE`.
    """
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
        raise unusable(provider, f"it answered something unexpected: {error}") from None
    except Broken as error:
        if error.is_limited:
            raise limited(provider, str(error), None) from None
        raise unusable(provider, f"it broke off: {error}") from None


async def _tell(reply: ModelReply, on_text: TextListener | None) -> None:
    """Somebody wanted a stream and got everything at once."""
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
        raise Unreadable(f"no JSON but {kind or 'something'!r}: {begin!r}") from None
    if not isinstance(value, dict):
        raise Unreadable("no JSON object")
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
            raise Unreadable(f"an event that is no JSON: {data[:80]!r}") from None
        if not isinstance(event, dict):
            raise Unreadable("an event that is no JSON object")
        text = stream.take(event)
        if text:
            await on_text(text)
    if not stream.is_complete:
        raise Unreadable("its stream stopped before the answer was complete")
    return stream.answer()


async def _events(answer: WebAnswer) -> AsyncIterator[str]:
    """The data of each server-sent event."""
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
    told = f"HTTP {status}" + (f": {said}" if said else "")
    if status in BUSY:
        return limited(provider, told, retry_after_s(answer.headers))
    if status in {401, 403}:
        return Invalid(
            "MODEL_REFUSED",
            f"{provider.title} does not take the key: {told}",
            hint="give the right key with `toolweave models add`, or in the environment",
            facts={"status": status},
        )
    if 400 <= status < 500 and status != 408:
        return Invalid(
            "MODEL_REFUSED",
            f"{provider.title} refuses the request: {told}",
            hint="check the model's name, the base address and what is asked for",
            facts={"status": status},
        )
    return unusable(provider, told, retry_after_s(answer.headers))


def _said(data: bytes) -> str:
    """What the provider says about a refusal; of a page of HTML nothing."""
    try:
        value: Json = json_text.read(data)
    except Invalid:
        return ""
    if isinstance(value, list) and value:
        value = value[0]
    error = the_part(value).get("error")
    message = the_part(error).get("message") if isinstance(error, dict) else error
    return message[:500] if isinstance(message, str) else ""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the provider asks to wait; a date counts as no word."""
    try:
        told = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return told if 0 <= told < float("inf") else None


def limited(provider: Provider, why: str, wait_s: float | None) -> Limited:
    """The provider says to wait."""
    return Limited(
        "MODEL_LIMITED",
        f"{provider.title} asks to wait: {why}",
        hint="try again later, or configure another model",
        facts={} if wait_s is None else {"retry_after_s": wait_s},
    )


def unusable(provider: Provider, why: str, wait_s: float | None = None) -> Unavailable:
    """The provider does not answer, or not with an answer."""
    return Unavailable(
        "MODEL_UNAVAILABLE",
        f"{provider.title} gives no answer: {why}",
        hint="check the base address, or try again later",
        facts={} if wait_s is None else {"retry_after_s": wait_s},
    )
