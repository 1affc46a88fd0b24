"""One heavy step as plain data, and what came of it: all that crosses the pipe to its process.

A message is the length of its JSON in eight bytes, then the JSON. A large value is sent in parts:
the receiver reads each in little time, so that its other threads get their turn.
"""

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Literal, TypeAlias

import orjson

from toolweave.json_text import Json, JsonObject

# Compute a node, list the items of a loop, decide whether a loop continues, or bind an input.
Purpose: TypeAlias = Literal["compute", "items", "continue", "bind"]

# What a process may use for one step, and how long the JSON of its result may be.
MEMORY_BYTES = 1024 * 1024 * 1024
CPU_S = 30
MAX_RESULT_BYTES = 32 * 1024 * 1024
# From this many characters on, a value is large; an item of a list or object counts as `ITEM`.
LARGE = 100_000
ITEM = 16
_CONTAINERS = (dict, list)
# The attributes of a module in the room `nodes` that hold its code.
_ATTRIBUTES = ("node", "plain")

LESS_DATA = "process less data at a time"

_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class HeavyWork:
    """What a process needs to know of a step; it asks for the names that it reads."""

    purpose: Purpose
    step: str
    # The name of the node's code; nothing where templates alone are filled.
    code: str | None
    node_type: str
    node_data: JsonObject
    incoming: Json
    first_output: str | None
    # The work that its expressions may do together.
    work: int
    # Of a loop that may continue: settings, inputs, iterations so far, and the last result.
    bound: tuple[JsonObject, JsonObject] | None = None
    done: int = 0
    last: Json = None
    memory_bytes: int = MEMORY_BYTES
    cpu_s: int = CPU_S
    max_result_bytes: int = MAX_RESULT_BYTES


@dataclass(frozen=True, slots=True)
class HeavyFailure:
    """Why a step failed; `traceback` is of a bug in a node's code, for the log."""

    code: str
    message: str
    hint: str | None = None
    problems: list[Json] | None = None
    traceback: str | None = None


@dataclass(frozen=True, slots=True)
class HeavyResult:
    """A value with its ports, the items of a loop, or whether it continues; a bound input."""

    value: Json = None
    ports: tuple[str, ...] = ()
    bound: tuple[JsonObject, JsonObject] | None = None


def too_large(work: HeavyWork) -> HeavyFailure:
    """Return the failure of a step that needs too much memory."""
    size = work.memory_bytes // 1024**2
    message = f"node {work.step!r} needs more than {size} MB of memory"
    return HeavyFailure("STEP_MEMORY_LIMIT", message, LESS_DATA)


def name_of(code: object) -> str | None:
    """Return the name of a node's code; nothing if another process would not find it by that."""
    module = sys.modules.get(type(code).__module__)
    for attribute in _ATTRIBUTES:
        if getattr(module, attribute, None) is code:
            return f"{type(code).__module__}:{attribute}"
    return None


def code_of(name: str) -> object:
    """Return the code of a name."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def write_message(file: IO[bytes], message: object) -> int:
    """Write one message; return its length. Raises `TypeError` for a value that is no JSON."""
    data = orjson.dumps(message)
    file.write(_LENGTH.pack(len(data)))
    file.write(data)
    file.flush()
    return len(data)


def read_message(file: IO[bytes]) -> Json:
    """Read one message. Raises `EOFError` at the end of the pipe."""
    (length,) = _LENGTH.unpack(_exactly(file, _LENGTH.size))
    message: Json = orjson.loads(_exactly(file, length))
    return message


def _exactly(file: IO[bytes], length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data


def size_of(*values: Json) -> int:
    """Estimate the size of values, without looking further once it exceeds `LARGE`."""
    size, level = 0, [*values]
    while level and size <= LARGE:
        below: list[Json] = []
        for one in level:
            if isinstance(one, str):
                size += len(one)
            elif isinstance(one, _CONTAINERS):
                size += ITEM * len(one)
                if size > LARGE:
                    return size
                below.extend(one.values() if isinstance(one, dict) else one)
        level = below
    return size


def parts_of(value: Json) -> Iterator[list[Json]]:
    """Yield the messages that `Assembly` puts together again."""
    if not isinstance(value, dict | list) or size_of(value) <= LARGE:
        yield ["value", value]
        return
    is_object = isinstance(value, dict)
    yield ["object" if is_object else "list"]
    pairs = value.items() if is_object else enumerate(value)
    batch: dict[str | int, Json] = {}
    batch_size = 0
    for key, item in pairs:
        size = size_of(item)
        if batch and batch_size + size > LARGE:
            yield _batch(batch, is_object=is_object)
            batch, batch_size = {}, 0
        if size > LARGE:
            yield ["key", key]
            yield from parts_of(item)
        else:
            batch[key] = item
            batch_size += ITEM + size
    if batch:
        yield _batch(batch, is_object=is_object)
    yield ["end"]


def _batch(batch: dict[str | int, Json], *, is_object: bool) -> list[Json]:
    if is_object:
        return ["fields", {str(key): item for key, item in batch.items()}]
    return ["items", list(batch.values())]


class Assembly:
    """A value that arrives in parts."""

    def __init__(self) -> None:
        self.value: Json = None
        self._open: list[list[Json] | JsonObject] = []
        self._keys: list[Json] = []

    def take(self, kind: str, content: Json) -> None:
        """Take the next part."""
        inner = self._open[-1] if self._open else None
        match kind:
            case "list":
                self._open.append([])
            case "object":
                self._open.append({})
            case "key":
                self._keys.append(content)
            case "items" if isinstance(inner, list) and isinstance(content, list):
                inner.extend(content)
            case "fields" if isinstance(inner, dict) and isinstance(content, dict):
                inner.update(content)
            case "end" if self._open:
                self._put(self._open.pop())
            case "value":
                self._put(content)
            case _:
                raise EOFError

    def _put(self, value: Json) -> None:
        if not self._open:
            self.value = value
        elif isinstance(inner := self._open[-1], list):
            self._keys.pop()
            inner.append(value)
        else:
            inner[str(self._keys.pop())] = value
