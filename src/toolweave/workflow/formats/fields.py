"""Typed access to the fields of a file; never raises and records problems."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, Severity, pointer
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Position

MAX_SHOWN = 60
# The limit of recorded problems.
MAX_NOTED = 1_000
_NUMBERS = frozenset({int, float})
_DECIMAL = pattern(r"-?\d{1,9}(?:\.\d{1,9})?")


@dataclass(slots=True)
class Notes:
    """Collects problems of the object being read; `at` is its pointer."""

    at: str = ""
    problems: list[Problem] = field(default_factory=list[Problem])
    left_out: int = 0

    @property
    def is_full(self) -> bool:
        """Whether further problems are only counted."""
        return len(self.problems) >= MAX_NOTED

    def all(self) -> list[Problem]:
        """The problems, and how many more there are."""
        if not self.left_out:
            return self.problems
        message = f"{self.left_out} more problems are not listed"
        more = Problem(
            "PROBLEMS_LEFT_OUT", "", message, "fix the problems above and validate again"
        )
        return [*self.problems, more]

    def add(
        self,
        code: str,
        steps: tuple[str | int, ...],
        message: str,
        *,
        hint: str | None = None,
        severity: Severity = "warning",
        # Any: operations of a JSON Patch, as in `Problem`.
        patch: tuple[dict[str, Any], ...] | None = None,
    ) -> None:
        """Note a problem at `steps` below the object being read."""
        if self.is_full:
            self.left_out += 1
            return
        place = self.at + pointer(*steps)
        self.problems.append(Problem(code, place, message, hint, severity, patch))

    def wrong(self, key: str, value: Json, expected: str, severity: Severity = "warning") -> None:
        """Note a field of the wrong type; it is kept in the file and otherwise ignored."""
        self.add(
            "FIELD_TYPE_WRONG",
            (key,),
            f"{key!r} is {shown(value)}; expected {expected}",
            hint="the value is kept in the file but ignored",
            severity=severity,
        )

    def missing(self, key: str, assumed: str, severity: Severity = "warning") -> None:
        """Record a missing required field and the assumed value."""
        self.add(
            "FIELD_MISSING",
            (),
            f"{key!r} is missing; {assumed}",
            hint=f"add {key!r}",
            severity=severity,
        )


def shown(value: Json) -> str:
    """A value for a message: short, and a container by its kind only."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def text(item: JsonObject, key: str, notes: Notes, default: str = "") -> str:
    """A text field; absent and null are the default."""
    value = item.get(key)
    if isinstance(value, str):
        return value
    if value is not None:
        notes.wrong(key, value, "text")
    return default


def optional_text(item: JsonObject, key: str, notes: Notes) -> str | None:
    """A text field that may be absent."""
    value = item.get(key)
    if value is None or isinstance(value, str):
        return value
    notes.wrong(key, value, "text")
    return None


def required_text(item: JsonObject, key: str, notes: Notes, default: str) -> str:
    """A text field that should be there, noted when it is not."""
    if item.get(key) is None:
        notes.missing(key, f"{default!r} is assumed")
        return default
    return text(item, key, notes, default)


def identifier(item: JsonObject, key: str, notes: Notes) -> str:
    """An id: text; a whole number is read as text; anything else is no id."""
    value = item.get(key)
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    notes.wrong(key, value, "text")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def mapping(item: JsonObject, key: str, notes: Notes, severity: Severity = "error") -> JsonObject:
    """A field that is an object; absent and null are empty."""
    value = item.get(key)
    if isinstance(value, dict):
        return value
    if value is not None:
        notes.wrong(key, value, "an object", severity)
    return {}


def items(document: JsonObject, key: str, notes: Notes) -> list[Json]:
    """A field that is a list; absent and null are empty."""
    value = document.get(key)
    if isinstance(value, list):
        return value
    if value is not None:
        notes.wrong(key, value, "a list", "error")
    return []


def position(item: JsonObject, notes: Notes) -> Position | None:
    """Where a node is drawn; nothing unless both coordinates are numbers."""
    value = item.get("position")
    if isinstance(value, dict):
        x, y = value.get("x"), value.get("y")
        if type(x) in _NUMBERS and type(y) in _NUMBERS:
            return Position(x, y)  # pyright: ignore[reportArgumentType] # numbers, as just asked
    if value is not None:
        notes.add(
            "FIELD_TYPE_WRONG",
            ("position",),
            "'position' needs the numbers x and y",
            hint='use {"x": 0, "y": 0}, or omit it for automatic layout',
            patch=_as_position(value, notes),
        )
    return None


def _as_position(value: Json, notes: Notes) -> tuple[JsonObject, ...] | None:
    """Two numbers in a list, or as texts, as a position."""
    listed = value if isinstance(value, list) else []
    if isinstance(value, str):
        listed = [one.strip() for one in value.split(",")]
    if isinstance(value, dict) and value.keys() == {"x", "y"}:
        listed = [value["x"], value["y"]]
    numbers = [_number(one) for one in listed]
    if len(numbers) != 2 or None in numbers:
        return None
    x, y = numbers
    return ({"op": "replace", "path": f"{notes.at}/position", "value": {"x": x, "y": y}},)


def _number(value: Json) -> float | None:
    if type(value) in _NUMBERS:
        return value  # pyright: ignore[reportReturnType] # a number, as just asked
    is_text = isinstance(value, str) and _DECIMAL.fullmatch(value) is not None
    return _read_number(value) if is_text and isinstance(value, str) else None


def _read_number(text: str) -> float:
    return int(text) if "." not in text else float(text)


def drawn(place: Position) -> JsonObject:
    """A position as every dialect writes it."""
    return {"x": place.x, "y": place.y}


def output_port(name: str | None) -> str:
    """The canonical name of an output port; `out` and none are `output`."""
    return name if name and name != "out" else OUTPUT_PORT


def input_port(name: str | None) -> str:
    """The canonical name of an input port; `in` and none are `input`."""
    return name if name and name != "in" else INPUT_PORT


def unknown(item: JsonObject, known: Container[str]) -> JsonObject:
    """Return the unknown fields."""
    return {key: value for key, value in item.items() if key not in known}


def filled(**fields: Json) -> JsonObject:
    """An object of the fields that have a value."""
    return {key: value for key, value in fields.items() if value is not None}
