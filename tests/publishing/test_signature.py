"""What a workflow takes and gives, as schemas."""

from typing import Any

import pytest

from publishing.drawing import asking, failing
from rest.drawn import drawn, greeting
from toolweave.authoring.environment import known_built_in
from toolweave.publishing.store import MAX_TOOL_NAME, tool_name
from toolweave.workflow.formats.load import read
from toolweave.workflow.signature import WorkflowSignature, signature

TEXT = {"type": "string"}
WHO: dict[str, Any] = {"type": "object", "properties": {"who": TEXT}, "required": ["who"]}


def signed(document: dict[str, Any]) -> WorkflowSignature:
    return signature(read(document).workflow, known_built_in())


def test_names_that_nothing_gives_a_value_are_inputs() -> None:
    found = signed(greeting())
    assert found.inputs == WHO
    assert found.output == {
        "type": "object",
        "properties": {"result": TEXT},
        "required": ["result"],
    }


def test_declared_schemas_stand() -> None:
    declared = {"type": "object", "properties": {"n": {"type": "integer"}}}
    found = signed({**greeting(), "inputSchema": declared, "outputSchema": {"type": "integer"}})
    assert found.inputs == declared
    assert found.output is not None
    assert found.output["properties"] == {"result": {"type": "integer"}}


@pytest.mark.parametrize("document", [drawn("x"), asking("x"), failing("x")])
def test_what_is_not_known_is_not_said(document: dict[str, Any]) -> None:
    found = signed(document)
    assert found.inputs["type"] == "object"
    assert found.output is None or found.output["type"] == "object"


def test_what_expressions_read_of_the_start_is_an_input() -> None:
    made = {"subtype": "SET_FIELDS", "configurations": {"set": {"a": "{{ trigger.city }}"}}}
    node = {"id": "set", "type": "ACTION", "name": "Set", "data": made}
    found = signed(drawn("x", node))
    properties = found.inputs["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["city"]
    assert found.inputs["required"] == ["city"]


SET = {"subtype": "SET_FIELDS", "configurations": {"set": {"a": "{{ trigger.city }}"}}}
CITY = {"id": "set", "type": "ACTION", "name": "Set", "data": SET}


def reading(text: str, id: str = "more") -> dict[str, Any]:
    made = {"subtype": "SET_FIELDS", "configurations": {"set": {"a": text}}}
    return {"id": id, "type": "ACTION", "name": id, "data": made}


def only_if(condition: str) -> dict[str, Any]:
    """The node that reads the city comes only behind a condition."""
    data = {"subtype": "IF", "configurations": {"condition": condition}}
    choice = {"id": "if", "type": "FLOW", "name": "If", "data": data}
    document = drawn("x", choice, CITY)
    edges = [
        {**edge, "fromPort": "true"} if edge["from"] == "if" else edge
        for edge in document["connections"]
    ]
    return {**document, "connections": edges}


@pytest.mark.parametrize(
    ("document", "required"),
    [
        (drawn("x", CITY), ["city"]),
        (drawn("x", reading("To {{ trigger.city }} by {{ start.mode }}")), ["city", "mode"]),
        (drawn("x", reading("{{ trigger.?city.orValue('') }}")), []),
        (drawn("x", reading("{{ has(trigger.city) ? 'yes' : 'no' }}"), CITY), []),
        (drawn("x", reading("{{ trigger.city == 'Oslo' || true }}")), []),
        (only_if("true"), []),
    ],
)
def test_an_input_is_required_if_every_run_fails_without_it(
    document: dict[str, Any], required: list[str]
) -> None:
    assert signed(document).inputs["required"] == required


@pytest.mark.parametrize(
    ("slug", "name"),
    [("my-flow", "my_flow"), ("9-lives", "run_9_lives"), ("x" * 80, "x" * MAX_TOOL_NAME)],
)
def test_every_workflow_has_a_name_that_every_client_takes(slug: str, name: str) -> None:
    assert tool_name(slug) == name
