"""The declared input of a workflow is a JSON Schema that values can be checked against."""

from dataclasses import replace

import pytest
from tests.workflow.checks.values_building import a_case, a_workflow, catalog_node

from toolweave.json_text import Json
from toolweave.workflow.checks.input_schema import CODE, check
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import apply_patch, value_at

RIGHT: Json = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}


def problems(schema: Json) -> list[tuple[str, str, Json]]:
    """Code, place, and the schema after the patch."""
    node = catalog_node("FLOW.STOP", {})
    workflow = replace(a_workflow(node), extras={"inputSchema": schema})
    document = convert(workflow, "toolweave")
    return [
        (
            one.code,
            one.pointer,
            value_at(apply_patch(document, one.patch), "/inputSchema") if one.patch else None,
        )
        for one in check(a_case(workflow))
    ]


@pytest.mark.parametrize("schema", [RIGHT, {"type": "object"}, {"properties": {}}, {}, None])
def test_a_usable_schema_is_fine(schema: Json) -> None:
    assert problems(schema) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"city": {"type": "str"}}, "required": ["city"]},
        {"type": "object", "properties": {"city": {"type": "string", "required": True}}},
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": "city"},
        {"city": {"type": "string", "required": True}},
    ],
)
def test_a_schema_from_memory_is_an_error_with_the_meant_one(schema: Json) -> None:
    ((code, _, fixed),) = problems(schema)
    assert (code, fixed) == (CODE, RIGHT)


def test_what_may_mean_two_things_is_an_error_without_a_patch() -> None:
    ((code, place, fixed),) = problems({"type": "object", "properties": {"a": {"type": "thing"}}})
    assert (code, place, fixed) == (CODE, "/inputSchema/properties/a/type", None)
