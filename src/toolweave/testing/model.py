"""A scripted model: an HTTP server on loopback with the real wire formats.

It supports Anthropic's Messages, Chat Completions and generateContent, plain and streamed, rejects
requests that the real APIs would reject, and records all requests. It runs in its own
threads, so synchronous and asynchronous tests can use it.
"""

import contextlib
import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from toolweave.json_text import Json, JsonObject
from toolweave.testing.model_probe import ALL, Ability, is_probe, probe_turn
from toolweave.testing.model_rules import faults_of
from toolweave.testing.model_wire import Turn, Wire, events_of, plain_of, wire_of

Stopped = Literal["end", "tools", "length", "refused"]
KEY = "scripted-model-key"


def says(
    text: str,
    *,
    stopped: Stopped = "end",
    tokens: tuple[int, int] = (10, 5),
    wait_s: float = 0.0,
) -> Turn:
    """Answer with a text, optionally after a delay."""
    return Turn(text=text, stopped=stopped, tokens=tokens, wait_s=wait_s)


def calls(name: str, arguments: JsonObject | str | None = None, *, text: str = "") -> Turn:
    """Request a tool call; string arguments are sent unchanged."""
    return Turn(text=text, calls=((name, {} if arguments is None else arguments),), stopped="tools")


def together(*turns: Turn) -> Turn:
    """Request several tool calls in one answer."""
    return replace(turns[0], calls=tuple(call for turn in turns for call in turn.calls))


def gives(value: Json) -> Turn:
    """Answer with JSON, as structured output if the request asks for it."""
    return Turn(text=json.dumps(value), value=value, is_shaped=True)


def fails(status: int, message: str = "scripted", *, retry_after: str | None = None) -> Turn:
    """Fail with an HTTP status, as the real APIs do."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Turn(status=status, text=message, headers=headers)


def sends(body: str, *, content_type: str = "application/json", status: int = 200) -> Turn:
    """Answer with exactly these bytes."""
    return Turn(raw=body.encode(), content_type=content_type, status=status)


def breaks(text: str, *, after: int) -> Turn:
    """Stream a text and disconnect after a number of events."""
    return Turn(text=text, cut_after=after)


def hangs() -> Turn:
    """Block until `release` is called or the model is closed; then answer with a text."""
    return Turn(text="released", holds=True)


@dataclass(frozen=True, slots=True)
class ModelRequestRecord:
    """A received request."""

    path: str
    headers: Mapping[str, str]
    # Any: arbitrary JSON of the client.
    body: dict[str, Any]

    @property
    def streams(self) -> bool:
        """Whether a stream was requested."""
        return bool(self.body.get("stream")) or "alt=sse" in self.path


@dataclass(slots=True)
class _Rule:
    words: str
    turns: list[Turn] = field(default_factory=list[Turn])

    def next(self) -> Turn:
        return self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]


class ScriptedModel:
    """A running scripted model; its script can change, and the last turn repeats.

    It answers Toolweave's probe of structured output by its `abilities`, outside the script.
    """

    def __init__(self, *turns: Turn, abilities: frozenset[Ability] = ALL) -> None:
        self.heard: list[ModelRequestRecord] = []
        self.probes: list[ModelRequestRecord] = []
        self.abilities = abilities
        # Instead of what the abilities say: to every probe, and to those with tools.
        self.probe_answer: Turn | None = None
        self.tools_answer: Turn | None = None
        self._rules: list[_Rule] = [_Rule("", list(turns) or [says("Hello.")])]
        self._news = threading.Condition()
        self._gate = threading.Event()
        self._url = ""

    def base_url(self, provider: str) -> str:
        """Return the base URL to configure for a provider."""
        return self._url + ("/v1" if provider in {"openai", "compatible"} else "")

    def answers(self, *turns: Turn) -> None:
        """Set the next answers, in order."""
        with self._news:
            self._rules = [*self._rules[:-1], _Rule("", list(turns))]

    def on(self, words: str, *turns: Turn) -> None:
        """Set the answers for requests that contain `words`."""
        with self._news:
            self._rules.insert(0, _Rule(words, list(turns)))

    def release(self) -> None:
        """Release all blocked answers."""
        self._gate.set()

    def wait_for(self, count: int, timeout_s: float = 30) -> bool:
        """Wait for a number of requests; call it in a thread from asynchronous tests."""
        with self._news:
            return self._news.wait_for(lambda: len(self.heard) >= count, timeout_s)

    @contextmanager
    def running(self) -> Generator["ScriptedModel"]:
        """Listen on loopback while the context is active."""
        server = _Server(self)
        self._url = f"http://127.0.0.1:{server.server_port}"
        # Frequent polling, because closing waits for the next poll.
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            self.release()
            server.shutdown()
            thread.join()
            server.server_close()

    def hear(self, heard: ModelRequestRecord) -> Turn:
        """Record a request and return its answer."""
        text = json.dumps(heard.body, ensure_ascii=False)
        if heard.path.endswith("/api/chat") and "format" not in self.abilities:
            self.probes.append(heard)
            return fails(404, "no such path")
        if is_probe(heard.body):
            self.probes.append(heard)
            instead = self.tools_answer if "tools" in heard.body else None
            return self.probe_answer or instead or probe_turn(heard.body, self.abilities)
        with self._news:
            self.heard.append(heard)
            self._news.notify_all()
            return next(rule for rule in self._rules if rule.words in text).next()

    def hold(self, at_most_s: float | None = None) -> None:
        """Wait for `release`."""
        self._gate.wait(at_most_s)


class _Server(ThreadingHTTPServer):
    # Closing waits for every answer, so that no thread or socket leaks.
    daemon_threads = False
    block_on_close = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.model = model


class _Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride] -- nobody else starts it

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """List one model, as servers with this format do."""
        listed = {"object": "list", "data": [{"id": "scripted", "owned_by": "library"}]}
        is_list = self.path == "/v1/models"
        turn = Turn(status=200 if is_list else 404)
        self._send(turn, json.dumps(listed if is_list else {}).encode(), "application/json")

    def do_POST(self) -> None:
        """Answer a request; a cancelled client may disconnect."""
        with contextlib.suppress(ConnectionError):
            self._answer()

    def _answer(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        heard = ModelRequestRecord(self.path, headers, json.loads(data))
        wire = wire_of(self.path)
        turn = self.server.model.hear(heard)
        if turn.holds or turn.wait_s:
            self.server.model.hold(turn.wait_s or None)
        wrong = faults_of(wire, heard.headers, heard.body)
        self._write(wire, fails(400, "; ".join(wrong)) if wrong else turn, heard)

    def _write(self, wire: Wire, turn: Turn, heard: ModelRequestRecord) -> None:
        if turn.raw is not None:
            self._send(turn, turn.raw, turn.content_type)
        elif turn.status != 200:
            body = {"error": {"type": "scripted_error", "message": turn.text}}
            self._send(turn, json.dumps(body).encode(), "application/json")
        elif heard.streams:
            self._stream(wire, turn, heard)
        else:
            answer = plain_of(wire, turn, heard.body)
            self._send(turn, json.dumps(answer).encode(), "application/json")

    def _stream(self, wire: Wire, turn: Turn, heard: ModelRequestRecord) -> None:
        self._begin(turn, "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        events = list(events_of(wire, turn, heard.body))
        for event in events[: turn.cut_after]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        if turn.cut_after is None:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, turn: Turn, body: bytes, content_type: str) -> None:
        self._begin(turn, content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, turn: Turn, content_type: str) -> None:
        # Each response closes its connection, so that a broken stream looks like one.
        self.close_connection = True
        self.send_response(turn.status)
        for name, value in turn.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", content_type)
        self.send_header("connection", "close")
