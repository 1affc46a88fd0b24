"""JSON at the border: strict reading, one way of writing, and the type of any JSON value.

Refuses what other readers guess about: duplicate keys, NaN, lone surrogates, deep nesting.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import orjson

from toolweave.errors import Invalid

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

MAX_DEPTH = 256
MAX_BYTES = 64 * 1024 * 1024
# orjson reports this as a fault of the text.
_NO_MEMORY = "Not enough memory"


def read(text: str | bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Json:
    """The value in `text`."""
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise Invalid("JSON_INVALID", f"not valid Unicode text: {error.reason}") from None
    if len(data) > max_bytes:
        raise Invalid("JSON_INVALID", f"{len(data)} bytes; at most {max_bytes} are read")
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith(_NO_MEMORY):
            raise MemoryError from None
        raise Invalid(
            "JSON_INVALID",
            f"not JSON: {error.msg} at line {error.lineno} column {error.colno}",
            facts={"line": error.lineno, "column": error.colno},
        ) from None
    if _is_deeper(value, max_depth):
        raise Invalid("JSON_INVALID", f"nested more than {max_depth} deep")
    if b"{" in data:
        # The stdlib parser is the only one with a hook for pairs; depth is bounded by now.
        _PAIRS.decode(data.decode())
    return value


def write(value: object, *, pretty: bool = False) -> str:
    """`value` as JSON text; keys keep their order."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else 0).decode()


def write_like(value: object, before: bytes) -> str:
    """`value` as JSON text, indented and ended as the text that it replaces."""
    second = before.partition(b"\n")[2]
    indent = second[: len(second) - len(second.lstrip(b" \t"))].decode() or "  "
    if indent == "  ":
        text = write(value, pretty=True)
    else:  # the stdlib writes any indentation, otherwise as orjson does
        text = json.dumps(value, indent=indent, ensure_ascii=False)
    text += "" if second and not before.endswith(b"\n") else "\n"
    return text.replace("\n", "\r\n") if b"\r\n" in before else text


class EscapeTable(dict[int, int | str]):
    """A translation table that escapes control, direction and invisible characters."""

    def __init__(self, spell: Callable[[int], str], *, keeps: str) -> None:
        super().__init__({ord(character): ord(character) for character in keeps})
        self._spell = spell

    def __missing__(self, number: int) -> int | str:
        acts = unicodedata.category(chr(number)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        self[number] = self._spell(number) if acts else number
        return self[number]


def _escape(number: int) -> str:
    units = chr(number).encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_ESCAPES = EscapeTable(_escape, keeps="\n")


def printable(text: str) -> str:
    """JSON text of the same meaning, whose characters cannot act on a terminal."""
    return text.translate(_ESCAPES)


def canonical(value: object) -> bytes:
    """Bytes that are equal exactly when the values are: sorted keys, no white space."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _is_deeper(value: Json, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [child for container in level for child in _containers_in(container)]
        if not level:
            return False
    return True


def _containers_in(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [child for child in value.values() if isinstance(child, dict | list)]
    if isinstance(value, list):
        return [child for child in value if isinstance(child, dict | list)]
    return []


def _unique(pairs: list[tuple[str, object]]) -> None:
    if len(dict(pairs)) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise Invalid("JSON_INVALID", f"the key {twice!r} appears twice in one object")


_PAIRS = json.JSONDecoder(object_pairs_hook=_unique)
