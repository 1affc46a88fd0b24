"""The data that came in with a request, beside its words."""

from collections.abc import Iterator

from toolweave import json_text
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.shapes import fits
from toolweave.assistant.extraction.tokens import name_parts, stem
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern

# As the prompt of a node writes it: the words, a line about the data, the data between two marks.
_DATA = pattern(r"(?s)(.*?)\n\n[^\n]*\n\n<data>\n(.*)\n</data>\s*")
MAX_DEPTH = 5


def words_and_data(request: str) -> tuple[str, dict[str, Json]]:
    """Return the words of a request, and the members of its data by their names as compared."""
    match = _DATA.fullmatch(request)
    if match is None:
        return request, {}
    try:
        data = json_text.read(match[2].replace("<\\/", "</"))
    except Invalid:
        return match[1], {}  # it was cut off
    members: dict[str, Json] = {}
    for name, value in _members(data, 0):
        members.setdefault(_compared(name), value)
    return match[1], members


def with_data(
    fields: list[ParameterField], choices: dict[str, list[Json]], members: dict[str, Json]
) -> dict[str, list[Json]]:
    """Return the choices with members of the data: those of a parameter's name, or named."""
    found = dict(choices)
    for one in fields:
        said = choices.get(one.name, [])
        named = [members.get(_compared(value)) for value in said if isinstance(value, str)]
        own = members.get(_compared(one.name)) if not said else None
        value = next((value for value in [*named, own] if value is not None), None)
        if value is not None and fits(value, one.schema):
            found[one.name] = [value]
    return found


def _members(value: Json, depth: int) -> Iterator[tuple[str, Json]]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        yield from value.items()
        for one in value.values():
            yield from _members(one, depth + 1)
    elif isinstance(value, list) and len(value) == 1:
        yield from _members(value[0], depth + 1)


def _compared(name: str) -> str:
    return " ".join(stem(part) for part in name_parts(name))
