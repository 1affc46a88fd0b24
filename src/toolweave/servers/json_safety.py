"""Find values that cannot be encoded as JSON; Python callers can pass any object."""

import json
import math
from collections.abc import Iterator
from typing import cast

import orjson

from toolweave.json_text import MAX_DEPTH
from toolweave.problems import Problem, pointer

MAX_REPORTED = 20
# In a larger value NaN may arrive as null; searching for it would block the event loop.
CAREFUL_BYTES = 1024 * 1024
LARGEST = 2**64 - 1
SMALLEST = -(2**63)

# What orjson writes as it is, or rejects.
_PLAIN = frozenset({str, int, bool, type(None)})

Steps = tuple[str | int, ...]

_encode = json.JSONEncoder(allow_nan=False).encode


def find_unencodable(value: object, *, is_parsed: bool = False) -> list[Problem]:
    """Return the parts of `value` that are not JSON; if `is_parsed`, only checks numbers."""
    if value is None:
        return []
    try:
        # orjson rejects surrogates, keys and sizes, but writes NaN as null,
        # and dates as text; the slower walk finds those.
        text = orjson.dumps(value)
        if _is_flat(value):
            return []
        if len(text) <= CAREFUL_BYTES and (b"null" in text or not is_parsed):
            _encode(value)
    except (TypeError, ValueError, RecursionError):
        return list(_faults(value)) or [_problem((), "nested too deeply, or contains itself")]
    return []


def _is_flat(value: object) -> bool:
    """Whether it is an object of plain values, as the arguments of most calls are."""
    if type(value) is not dict:
        return False
    entries = cast("dict[object, object]", value)
    return _PLAIN.issuperset(map(type, entries.values()))


def _faults(value: object) -> Iterator[Problem]:
    waiting: list[tuple[Steps, object]] = [((), value)]
    reported = 0
    while waiting and reported < MAX_REPORTED:
        steps, item = waiting.pop()
        if len(steps) > MAX_DEPTH:
            yield _problem(steps[:3], f"nested more than {MAX_DEPTH} levels deep")
            return
        if isinstance(item, dict):
            waiting.extend(((*steps, str(key)), below) for key, below in item.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # anything at all
            wrong = next((why for key in item if (why := _key(key))), None)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # anything at all
        elif isinstance(item, list | tuple):
            waiting.extend(((*steps, index), below) for index, below in enumerate(item))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # anything at all
            wrong = None
        else:
            wrong = _scalar(item)
        if wrong:
            reported += 1
            yield _problem(steps, wrong)


def _key(key: object) -> str | None:
    return _scalar(key) if isinstance(key, str) else f"a key is {type(key).__name__}, not a string"


def _scalar(item: object) -> str | None:
    match item:
        case None | bool():
            return None
        case str():
            return "contains a lone surrogate" if not _is_text(item) else None
        case int():
            return None if SMALLEST <= item <= LARGEST else "a number of more than 64 bits"
        case float():
            return None if math.isfinite(item) else f"{item} is not a JSON number"
        case _:
            return f"{type(item).__name__} is not a JSON value"


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _problem(steps: Steps, message: str) -> Problem:
    return Problem("MCP_PARAMETER_INVALID_TYPE", _place(steps), message)


def _place(steps: Steps) -> str:
    # The pointer itself is shown and sent, so it must be valid text.
    return pointer(*steps).encode(errors="replace").decode()
