"""What a command and the running studio of its home say to each other, and in which files.

A message is a JSON array after its length in four bytes: a name and its values. The command sends
`hello` with the studio's key; the studio answers with what the command needs to decide whether it
would do the same work itself. Nothing is executed before that. Then comes one command.
"""

import hashlib
import socket
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from toolweave.json_text import Json, JsonObject

# Files of a home: who serves it, where, and the studio's API key.
LOCK = "studio.lock"
SOCKET = "studio.sock"
KEY_FILE = "studio.key"

LENGTH = struct.Struct(">I")
MAX_MESSAGE_BYTES = 128 * 1024 * 1024
# A studio that has nothing to report says that it is alive.
ALIVE_EVERY_S = 2.0

# Any: each kind of message has values of its own.
Message = list[Any]


@dataclass(frozen=True, slots=True)
class CallToolCommand:
    """`toolweave call`."""

    server: str
    tool: str
    arguments: JsonObject
    # NAME=VALUE, converted by the tool's schema.
    pairs: list[str]
    timeout_s: float | None
    # Whether somebody can answer questions of the tool.
    can_ask: bool


@dataclass(frozen=True, slots=True)
class RunWorkflowCommand:
    """`toolweave run`: a document or a stored workflow, or a node of an earlier run."""

    # The file as the person named it, or the name of a stored workflow.
    file: str | None
    inputs: JsonObject
    # The bytes of the file in base64.
    document: str | None = None
    node: str | None = None
    old_run: str | None = None
    # A JSON patch of the node's input.
    edits: list[JsonObject] = field(default_factory=list[JsonObject])
    # Whether to answer from what the earlier run recorded, as far as it reaches.
    recorded: bool = False
    # Whether somebody can answer questions of the run.
    can_ask: bool = False


def encode(name: str, *values: object) -> bytes:
    """The bytes of a message."""
    data = orjson.dumps([name, *values])
    return LENGTH.pack(len(data)) + data


def length_of(head: bytes) -> int:
    """The length of the message that follows `head`. Raises `ValueError` for an oversized one."""
    (length,) = LENGTH.unpack(head)
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length} bytes")
    return length


def decode(data: bytes) -> Message:
    """Read a message. Raises `ValueError`."""
    message: Json = orjson.loads(data)
    if not isinstance(message, list) or not message or not isinstance(message[0], str):
        raise ValueError("not a message")
    return message


def environment_digest(names: Iterable[str], environ: Mapping[str, str], salt: str) -> str:
    """A digest of some variables: equal in two processes exactly if their values are."""
    values = [[name, environ.get(name)] for name in sorted(names)]
    return hashlib.sha256(orjson.dumps([salt, values])).hexdigest()


def peer_of(connection: socket.socket) -> tuple[int, int] | None:
    """The process and the user at the other end, where the system can tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    found = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    pid, user, _ = struct.unpack("3i", found)
    return pid, user
