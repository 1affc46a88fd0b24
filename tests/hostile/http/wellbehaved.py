"""A well-behaved MCP server of 2025-06-18 over HTTP; every vice here overrides `misbehave`.

Raw sockets and the standard library only, so that a vice can break any rule and starts in
milliseconds. Prints `listening on http://127.0.0.1:PORT/mcp` to stdout, ends when stdin closes,
and in any case after 120 s (`HOSTILE_LIFE_S`). The first argument says when the vice shows:
`start` (every request), `list`, or `call` (of the tool `misbehave`; the default).
"""

import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

Message = dict[str, Any]

LIFE_S = int(os.environ.get("HOSTILE_LIFE_S", "120"))
REASONS = {200: "OK", 202: "Accepted", 400: "Bad Request", 405: "Method Not Allowed"}
TOOLS: list[Message] = [
    {
        "name": "echo",
        "description": "Returns the text.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
    },
    {
        "name": "misbehave",
        "description": "Shows what is wrong with this server.",
        "inputSchema": {"type": "object"},
    },
]


class Request(NamedTuple):
    """One request as it was read."""

    verb: str
    target: str
    headers: dict[str, str]
    message: Message


def size(default: int) -> int:
    """How much of the vice: bytes or refusals, by `HOSTILE_SIZE`."""
    return int(os.environ.get("HOSTILE_SIZE", default))


def text(content: str) -> Message:
    """The result of a call: one text."""
    return {"content": [{"type": "text", "text": content}]}


def reply_to(request: Request, result: object) -> bytes:
    """A JSON-RPC reply."""
    reply = {"jsonrpc": "2.0", "id": request.message.get("id"), "result": result}
    return json.dumps(reply).encode()


def respond(
    connection: socket.socket,
    body: bytes,
    status: int = 200,
    content_type: str = "application/json",
    **headers: str,
) -> None:
    """Send a whole response and nothing wrong with it."""
    fields = {
        "Content-Type": content_type,
        "Content-Length": str(len(body)),
        "Connection": "close",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection.sendall(head(status, fields) + body)


def head(status: int, fields: dict[str, str]) -> bytes:
    """A status line and header fields, with the empty line after them."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def drip(connection: socket.socket, data: bytes) -> None:
    """Send one byte per 100 ms."""
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def reset(connection: socket.socket) -> None:
    """Close with a reset instead of an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server:
    """One thread per connection, one request per connection."""

    def __init__(self) -> None:
        self.when = sys.argv[1] if len(sys.argv) > 1 else "call"

    def run(self) -> None:
        """Serve until stdin closes."""
        signal.alarm(LIFE_S)
        listener = socket.create_server(("127.0.0.1", 0))
        sys.stdout.write(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp\n")
        sys.stdout.flush()
        threading.Thread(target=self.accept, args=[listener], daemon=True).start()
        sys.stdin.read()

    def accept(self, listener: socket.socket) -> None:
        """Take connections for ever."""
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        """Answer the one request of a connection."""
        with connection, suppress(OSError):
            request = read(connection)
            if request is None:
                return
            if request.verb != "POST":
                respond(connection, b"", 405)
            elif "id" not in request.message:
                respond(connection, b"", 202)
            elif self.is_time(request):
                self.misbehave(connection, request)
            else:
                self.behave(connection, request)

    def is_time(self, request: Request) -> bool:
        """Whether this request gets to see the vice."""
        match self.when, request.message["method"]:
            case "start", _:
                return True
            case "list", "tools/list":
                return True
            case "call", "tools/call":
                return request.message["params"]["name"] == "misbehave"
            case _:
                return False

    def behave(self, connection: socket.socket, request: Request) -> None:
        """Answer as one should."""
        match request.message["method"]:
            case "initialize":
                result: Message = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "hostile", "version": "1"},
                }
                respond(connection, reply_to(request, result), Mcp_Session_Id="session-1")
            case "ping":
                respond(connection, reply_to(request, {}))
            case "tools/list":
                respond(connection, reply_to(request, {"tools": TOOLS}))
            case "tools/call":
                said = request.message["params"].get("arguments", {}).get("text", "as you wish")
                respond(connection, reply_to(request, text(str(said))))
            case unknown:
                error = {"code": -32601, "message": f"no method {unknown!r}"}
                reply = {"jsonrpc": "2.0", "id": request.message["id"], "error": error}
                respond(connection, json.dumps(reply).encode())

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """What is wrong with this server; nothing is with this one."""
        self.behave(connection, request)


def read(connection: socket.socket) -> Request | None:
    """One request with its body; nothing if the client went away."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (chunk := connection.recv(65536)):
            return None
        data += chunk
    raw_head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = raw_head.decode("latin-1").split("\r\n")
    verb, target, _ = first.split(" ", 2)
    fields = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in fields}
    length = int(headers.get("content-length", "0"))
    while len(body) < length:
        if not (chunk := connection.recv(65536)):
            return None
        body += chunk
    return Request(verb, target, headers, json.loads(body) if body else {})
