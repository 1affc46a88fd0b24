"""Specifications given as JSON: the older form, the newer one, and what cannot be read."""

import pytest
from tests.catalog.builders import entries, live_catalog, our_catalog, our_knowledge

from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.read_spec import read_spec
from toolweave.catalog.serialise import serialise
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

LEGACY: JsonObject = {
    "node_type": "TRIGGER_NODE",
    "subtype": "MANUAL",
    "version": "1.2.0",
    "description": "Starts by hand.",
    "parameters": [
        {
            "name": "trigger_name",
            "type": "STRING",
            "required": True,
            "default_value": "Manual",
            "description": "Its name.",
            "enum_values": ["Manual", "Other"],
            "validation_pattern": "^[A-Z]",
        },
        {"name": "amount", "type": "number", "default_value": 1.5},
        {"name": "config", "type": "json"},
    ],
    "output_ports": [
        {
            "name": "main",
            "type": "MAIN",
            "description": "Out.",
            "max_connections": 3,
            "data_format": {"mime_type": "application/json", "schema": "{}", "examples": ["1"]},
            "validation_schema": {"type": "object"},
        }
    ],
    "examples": [{"name": "A", "description": "One.", "configurations": {}, "input_params": {}}],
}


@pytest.mark.requirement("004:registry.legacy-format")
def test_a_specification_in_the_older_form_is_served_like_any_other() -> None:
    spec = read_spec(LEGACY)
    assert spec.ref == "TRIGGER.MANUAL"
    assert spec.effect == "once"
    assert spec.input_ports == ()
    (body,) = entries(Knowledge(Catalog([spec])).node_details([("TRIGGER", "MANUAL")]))
    (ours,) = entries(our_knowledge().node_details([("TRIGGER", "MANUAL")]))
    assert set(body) == set(ours)
    configurations = body["configurations"]
    assert isinstance(configurations, dict)
    assert configurations["trigger_name"] == {
        "type": "string",
        "default": "Manual",
        "description": "Its name.",
        "required": True,
        "options": ["Manual", "Other"],
        "enum_values": ["Manual", "Other"],
        "validation_pattern": "^[A-Z]",
    }
    assert configurations["amount"] == {
        "type": "float",
        "default": 1.5,
        "description": "",
        "required": False,
    }
    assert list(configurations) == [
        *("trigger_name", "amount", "config", "timeout", "retry_attempts", "enabled")
    ]


@pytest.mark.parametrize("spec", list(our_catalog()), ids=lambda spec: spec.ref)
def test_what_is_served_is_read_back_to_the_same_answer(spec: NodeSpec) -> None:
    body = serialise(spec)
    assert serialise(read_spec(body)) == body


def test_a_live_tools_answer_is_read_back_but_for_its_origin() -> None:
    live = [spec for spec in live_catalog() if spec.origin is not None]
    about = {"mcp_server", "mcp_tool", "cautions", "schema_definitions"}
    for spec in live:
        body = serialise(spec)
        again = serialise(read_spec(body))
        assert {key: body[key] for key in body if key not in about} == again


def test_the_newer_form_may_name_its_parts_in_the_short_way() -> None:
    spec = read_spec(
        {
            "type": "flow",
            "subtype": "ECHO",
            "effect": "pure",
            "input_params": {"data": {"type": "any", "required": True, "default": [1]}},
            "output_params": {"data": {"type": "any"}},
        }
    )
    assert spec.ref == "FLOW.ECHO"
    assert spec.effect == "pure"
    assert [given.name for given in (*spec.inputs, *spec.outputs)] == ["data", "data"]
    assert spec.inputs[0].default == [1]
    assert [port.name for port in (*spec.input_ports, *spec.output_ports)] == ["input", "output"]


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"node_type": "ELEPHANT"}, ["/node_type"]),
        ({"node_type": 3}, ["/node_type", "/node_type"]),
        ({"subtype": ""}, ["/subtype"]),
        ({"subtype": None}, ["/subtype"]),
        ({"description": ["a"]}, ["/description"]),
        ({"parameters": {}}, ["/parameters"]),
        ({"parameters": ["a"]}, ["/parameters/0"]),
        ({"parameters": [{"type": "string"}]}, ["/parameters/0/name"]),
        ({"parameters": [{"name": "a", "type": "elephant"}]}, ["/parameters/0/type"]),
        ({"parameters": [{"name": "a", "type": 1}]}, ["/parameters/0/type"]),
        (
            {"parameters": [{"name": "a", "type": "integer", "default_value": "x"}]},
            ["/parameters/0/default"],
        ),
        (
            {"parameters": [{"name": "a", "type": "integer", "default_value": True}]},
            ["/parameters/0/default"],
        ),
        ({"parameters": [{"name": "a", "enum_values": [1]}]}, ["/parameters/0/enum_values"]),
        ({"configurations": {"a": 1}}, ["/configurations/a"]),
        ({"configurations": []}, ["/configurations"]),
        ({"configurations": {"a": {"min": "1", "max": True}}}, ["/configurations/a/min", "*"]),
        ({"configurations": {"a": {"items": "x"}}}, ["/configurations/a/items"]),
        ({"tags": "a"}, ["/tags"]),
        ({"output_ports": [1]}, ["/output_ports/0"]),
        ({"output_ports": [{"data_format": 1}]}, ["/output_ports/0/data_format"]),
        ({"examples": [{"configurations": 1}]}, ["/examples/0/configurations"]),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(
    change: JsonObject, pointers: list[str]
) -> None:
    with pytest.raises(Invalid) as caught:
        read_spec({**LEGACY, **change})
    found = [problem.pointer for problem in caught.value.problems]
    assert caught.value.code == "SPEC_INVALID"
    assert len(found) == len(pointers)
    assert all(want in {"*", got} for got, want in zip(found, pointers, strict=True))


def test_every_fault_is_told_at_once() -> None:
    faulty: Json = {"node_type": "X", "subtype": "", "tags": 1, "parameters": [{}]}
    with pytest.raises(Invalid) as caught:
        read_spec(faulty)
    assert len(caught.value.problems) == 4
    assert caught.value.message.startswith("the specification cannot be read: /node_type: ")


def test_a_schema_that_is_no_object_is_left_out() -> None:
    spec = read_spec({**LEGACY, "configurations": {"a": {"type": "any", "schema": 1}}})
    assert spec.configurations[0].schema is None
