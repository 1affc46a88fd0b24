"""A well-behaved MCP server of 2025-06-18 over stdio; every vice here overrides one part of it.

Standard library only, so that it starts in milliseconds. It ends when stdin closes, and in any
case after `life_s` seconds. `echo` always behaves; `misbehave` is where most vices show.
"""

import json
import os
import select
import signal
import sys
from typing import Any

Message = dict[str, Any]

ECHO: Message = {
    "name": "echo",
    "description": "Returns the text.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}
MISBEHAVE: Message = {
    "name": "misbehave",
    "description": "Shows what is wrong with this server.",
    "inputSchema": {"type": "object"},
}


def size(default: int) -> int:
    """How much of the vice: bytes or messages, by `HOSTILE_SIZE`."""
    return int(os.environ.get("HOSTILE_SIZE", default))


def text(content: str) -> Message:
    """The result of a call: one text."""
    return {"content": [{"type": "text", "text": content}]}


class Server:
    """Reads a line, answers it, reads the next."""

    life_s = 120

    def __init__(self) -> None:
        self.tools: list[Any] = [ECHO, MISBEHAVE]

    def run(self) -> None:
        """Serve until stdin closes."""
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.alarm(self.life_s)
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.answer(message)

    def answer(self, request: Message) -> None:
        """Answer one request."""
        match request["method"]:
            case "initialize":
                self.initialize(request)
            case "ping":
                self.reply(request, {})
            case "tools/list":
                self.list_tools(request)
            case "tools/call":
                self.call(request)
            case unknown:
                error = {"code": -32601, "message": f"no method {unknown!r}"}
                self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def initialize(self, request: Message) -> None:
        """Answer the handshake."""
        self.reply(
            request,
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            },
        )

    def list_tools(self, request: Message) -> None:
        """Answer `tools/list`."""
        self.reply(request, {"tools": self.tools})

    def call(self, request: Message) -> None:
        """Answer `tools/call`."""
        if request["params"]["name"] == "misbehave":
            self.misbehave(request)
        else:
            self.reply(request, text(str(request["params"].get("arguments", {}).get("text"))))

    def misbehave(self, request: Message) -> None:
        """Answer a call of `misbehave`; nothing is wrong with this one."""
        self.reply(request, text("as you wish"))

    def reply(self, request: Message, result: object) -> None:
        """Send the result of a request."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def send(self, message: object) -> None:
        """Send one message as one line."""
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def pause(self, seconds: float | None) -> None:
        """Do nothing for a while (`None`: for ever), not even read; end if stdin closes."""
        poll = select.poll()
        # Without POLLIN: what waits to be read is of no interest, only that nobody writes.
        poll.register(sys.stdin.fileno(), getattr(select, "POLLRDHUP", select.POLLHUP))
        if poll.poll(None if seconds is None else seconds * 1000):
            os._exit(0)
