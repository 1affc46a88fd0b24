"""Members of an object, or of the only item of a list, that stand beside it."""

import pytest
from tests.tools.builders import a_tool

from toolweave.json_text import JsonObject
from toolweave.tools.check import check_arguments

SECTION: JsonObject = {
    "type": "object",
    "properties": {"heading": {"type": "string"}, "text": {"type": "string"}},
    "required": ["heading"],
}
PLACE: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
}
TOOL = a_tool(
    {
        "title": {"type": "string"},
        "sections": {"type": "array", "items": SECTION},
        "place": PLACE,
        "other": PLACE,
    },
    additionalProperties=False,
)


def test_members_beside_a_list_become_its_only_item() -> None:
    given: JsonObject = {"title": "t", "heading": "h", "text": "x"}
    patches = [one.patch for one in check_arguments(TOOL, given) if one.patch]
    right: JsonObject = {"title": "t", "sections": [{"heading": "h", "text": "x"}]}
    assert patched_by(given, patches[0]) == right


@pytest.mark.parametrize(
    "given",
    [
        {"title": "t", "text": "x"},  # one alone may be anything
        {"title": "t", "heading": 5, "text": "x"},
        {"title": "t", "heading": "h", "words": "x"},
        {"title": "t", "city": "Oslo", "country": "Norway"},  # of either object
        {"sections": [{"heading": "a"}], "heading": "h", "text": "x"},
    ],
)
def test_members_with_several_places_stay(given: JsonObject) -> None:
    for problem in check_arguments(TOOL, given):
        added = [step for step in problem.patch or () if step["op"] == "add"]
        assert added == []


def patched_by(given: JsonObject, patch: tuple[JsonObject, ...] | None) -> JsonObject:
    """The value after the operations; a removed member is gone."""
    left = dict(given)
    for step in patch or ():
        name = str(step["path"])[1:]
        if step["op"] == "remove":
            del left[name]
        else:
            left[name] = step["value"]
    return left
