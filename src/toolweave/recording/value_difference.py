"""The places where two JSON values differ."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.value_preview import shown


class _Absent:
    """Stands for a value that one side does not have."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """One place, with the value on each side; `ABSENT` where a side has none."""

    pointer: str
    expected: "Json | _Absent"
    actual: "Json | _Absent"

    @property
    def shown_expected(self) -> str:
        """The expected value in one line."""
        return _shown(self.expected)

    @property
    def shown_actual(self) -> str:
        """The actual value in one line."""
        return _shown(self.actual)

    def as_json(self) -> JsonObject:
        """Return the place with the values that exist."""
        found: JsonObject = {"pointer": self.pointer}
        if not isinstance(self.expected, _Absent):
            found["expected"] = self.expected
        if not isinstance(self.actual, _Absent):
            found["actual"] = self.actual
        return found


def value_differences(expected: Json, actual: Json) -> list[ValueDifference]:
    """Return every differing place, deepest first found; whole floats equal integers."""
    return list(_compare(expected, actual, ()))


def _compare(expected: Json, actual: Json, at: tuple[str | int, ...]) -> Iterator[ValueDifference]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in (*expected, *(key for key in actual if key not in expected)):
            if key not in actual:
                yield ValueDifference(pointer(*at, key), expected[key], ABSENT)
            elif key not in expected:
                yield ValueDifference(pointer(*at, key), ABSENT, actual[key])
            else:
                yield from _compare(expected[key], actual[key], (*at, key))
    elif isinstance(expected, list) and isinstance(actual, list):
        for index in range(max(len(expected), len(actual))):
            if index >= len(actual):
                yield ValueDifference(pointer(*at, index), expected[index], ABSENT)
            elif index >= len(expected):
                yield ValueDifference(pointer(*at, index), ABSENT, actual[index])
            else:
                yield from _compare(expected[index], actual[index], (*at, index))
    elif isinstance(expected, bool) != isinstance(actual, bool) or expected != actual:
        yield ValueDifference(pointer(*at) if at else "", expected, actual)


def _shown(value: "Json | _Absent") -> str:
    return "nothing" if isinstance(value, _Absent) else shown(value)
