"""Read fields of an untrusted response: present and of the right type, or `Unreadable`."""

from toolweave import json_text
from toolweave.catalog.resources.model import ModelChoiceRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject


class Unreadable(Exception):
    """The response does not match the provider's format."""


def read_object(value: Json, what: str) -> JsonObject:
    """Return `value` as an object."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is {_kind(value)}, not an object")
    return value


def read_list(value: Json, what: str) -> list[Json]:
    """Return `value` as a list; `None` is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable(f"{what} is {_kind(value)}, not a list")
    return value


def read_text(value: Json, what: str) -> str:
    """Return `value` as a string; `None` is an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unreadable(f"{what} is {_kind(value)}, not a string")
    return value


def read_count(value: Json) -> int:
    """Return a token count; an invalid one is 0, so that no answer is lost over it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def read_part(value: Json) -> JsonObject:
    """Return an object, empty if there is none."""
    return value if isinstance(value, dict) else {}


def read_call(
    call_id: str, name: str, arguments: str, carried: JsonObject | None = None
) -> ModelChoiceRequest:
    """Return a tool call whose arguments are JSON text."""
    try:
        value = json_text.read(arguments or "{}")
    except Invalid:
        value = None
    if isinstance(value, dict):
        return ModelChoiceRequest(id=call_id, name=name, arguments=value, carried=carried or {})
    return ModelChoiceRequest(
        id=call_id, name=name, arguments={}, unreadable=arguments[:10_000], carried=carried or {}
    )


def read_value(text: str) -> Json:
    """Return the JSON in an answer, also from a code block; else `None`."""
    stripped = text.strip()
    if stripped.startswith("```"):
        stripped = stripped.partition("\n")[2].rpartition("```")[0]
    try:
        return json_text.read(stripped)
    except Invalid:
        return None


def _kind(value: Json) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "an object"
