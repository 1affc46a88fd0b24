"""SQL statements of nodes: which are allowed, and the conversion of values. Pure."""

import base64
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from toolweave import json_text
from toolweave.catalog.sql_texts import PIECE, statement_fault
from toolweave.errors import Denied, Invalid
from toolweave.json_text import Json
from toolweave.settings import MIB

MAX_RESULT_BYTES = 16 * MIB


def check_statement(sql: str, *, allow_writes: bool) -> None:
    """Refuse statements that may never run; the database enforces the rest."""
    fault = statement_fault(sql, allow_writes=allow_writes)
    if fault is not None:
        error = Denied if fault.is_denied else Invalid
        raise error(fault.code, fault.message, hint=fault.hint)


def for_postgres(sql: str) -> bytes:
    """Return a statement with `?` and `:name` in psycopg's syntax."""

    def piece(found: re.Match[str]) -> str:
        if found[2]:
            return f"%({found[2]})s"
        if found[3]:
            return "%s"
        return found[0].replace("%", "%%")

    return PIECE.sub(piece, sql).encode()


def bound(parameters: Sequence[Json] | Mapping[str, Json]) -> list[object] | dict[str, object]:
    """Return values as drivers accept them; lists and objects as JSON."""
    if isinstance(parameters, Mapping):
        return {name: _bound(value) for name, value in parameters.items()}
    return [_bound(value) for value in parameters]


def _bound(value: Json) -> object:
    if isinstance(value, str) and "\0" in value:
        raise Invalid("DATABASE_QUERY_INVALID", "a parameter holds a NUL character")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Invalid("DATABASE_QUERY_INVALID", f"the parameter {value!r:.40} has over 64 bits")
    return json_text.write(value) if isinstance(value, list | dict) else value


class ResultSize:
    """Counts the size of a result, and stops when it is too large."""

    def __init__(self, max_bytes: int = MAX_RESULT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._left = max_bytes

    def take(self, row: Sequence[object]) -> tuple[Json, ...]:
        """Return a row as JSON values. Raises `DATABASE_RESULT_TOO_LARGE`."""
        found = tuple(as_json(value) for value in row)
        self._left -= sum(len(one) if isinstance(one, str) else 16 for one in found)
        if self._left < 0:
            raise Invalid(
                "DATABASE_RESULT_TOO_LARGE",
                f"the rows have over {self._max_bytes} bytes",
                hint="ask for fewer columns or rows",
            )
        return found


def as_json(value: object) -> Json:
    """Return a driver's value as JSON: times as ISO 8601, bytes as base64, odd numbers as text."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -(2**63) <= value < 2**63 else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return _of_decimal(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(cast("bytes", value)).decode()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case list() | tuple():
            return [as_json(one) for one in cast("list[object]", value)]
        case dict():
            inside = cast("dict[object, object]", value)
            return {str(name): as_json(one) for name, one in inside.items()}
        case _:
            return str(value)


def _of_decimal(value: Decimal) -> Json:
    """Return a number if it is exact, else the text."""
    number = float(value)
    if value.is_finite() and value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    return number if math.isfinite(number) and Decimal(repr(number)) == value else str(value)
