"""Large answers with the session protocol: as JSON, not as one server-sent event.

The SDK answers every such request with a stream of events, and clients limit the size of an event:
the Python SDK to 1 MiB. An answer that comes before any other event can be sent as it is.
"""

from starlette.types import Message, Send

from toolweave.patterns import pattern

LARGE = 512 * 1024
_BEGIN, _END = b"event: message\r\ndata: ", b"\r\n\r\n"
_ANSWER = pattern(r'\{"jsonrpc":"2\.0","id":[^,{]{1,200},"(result|error)":')
_EVENTS = b"text/event-stream"


class LargeAnswerSender:
    """Sends a response of the SDK; a stream that is one large answer as JSON."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._is_sent = False

    async def send(self, message: Message) -> None:
        """Send a part; the head of a stream waits for its first event."""
        if message["type"] == "http.response.start" and _is_stream(message):
            self._start = message
            return
        if (start := self._start) is not None:
            self._start = None
            answer = _answer_in(message.get("body", b""))
            self._is_sent = answer is not None
            await self._send(start if answer is None else _as_json(start))
            if answer is not None:
                await self._send({"type": "http.response.body", "body": answer})
        if not self._is_sent:
            await self._send(message)


def _is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(_EVENTS)
        for name, value in message["headers"]
    )


def _answer_in(event: bytes) -> bytes | None:
    is_large = len(event) >= LARGE and event.startswith(_BEGIN) and event.endswith(_END)
    if not is_large or _ANSWER.match(event[len(_BEGIN) :][:300].decode("utf-8", "replace")) is None:
        return None
    return event[len(_BEGIN) : -len(_END)]


def _as_json(start: Message) -> Message:
    kept = [one for one in start["headers"] if one[0].lower() != b"content-type"]
    return {**start, "headers": [*kept, (b"content-type", b"application/json")]}
