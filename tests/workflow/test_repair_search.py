"""A problem without a patch gets the only edit that its schema allows; of several, none."""

from typing import Any

import pytest
from tests.catalog.builders import a_spec
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.catalog.spec import Field
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.reshaping import reshaped
from toolweave.tools.schema import compile_schema
from toolweave.tools.violations import Explainer
from toolweave.workflow.formats.load import convert
from toolweave.workflow.node_slots import NodeSlot, Stray, slots_of
from toolweave.workflow.report import Report, examine
from toolweave.workflow.slot_evidence import DESCRIBED, NAMED, ONLY, OPTION, ranks

GO = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
TEXT: dict[str, Json] = {"type": "string"}


def _document(ref: str, settings: dict[str, Any], inputs: dict[str, Any] | None = None) -> Document:
    parts = {"configurations": settings, "inputParams": inputs or {}}
    return whole("search", [GO, node("it", ref, **parts)], [edge("go", "it")])


def _report(document: Document) -> Report:
    return examine(json_text.write(document), world("alone"))


def _patched(report: Report) -> list[Problem]:
    return [one for one in report.problems if one.patch]


def _settings(report: Report) -> Json:
    fixed: Any = convert(report.fixed.workflow, "toolweave")
    return fixed["nodes"][1]["data"]["configurations"]


def test_the_only_unknown_member_is_the_one_that_is_missing() -> None:
    settings = {"wait_type": "event", "event_config": {"topic_of_it": "order.paid"}}
    report = _report(_document("FLOW.WAIT", settings))
    assert _settings(report) == {"wait_type": "event", "event_config": {"name": "order.paid"}}
    # Of two unknown ones, either may be it.
    both = {"topic_of_it": "order.paid", "subject_of_it": "order.sent"}
    assert _patched(_report(_document("FLOW.WAIT", settings | {"event_config": both}))) == []


def test_a_text_is_divided_among_members_only_if_their_values_say_which_is_which() -> None:
    settings = {"operation": "sort", "sort_config": "price asc"}
    report = _report(_document("ACTION.DATA_TRANSFORMATION", settings, {"data": []}))
    meant = {"field": "price", "direction": "asc"}
    assert _settings(report) == {"operation": "sort", "sort_config": meant}
    other = settings | {"sort_config": "price upwards"}
    assert _patched(_report(_document("ACTION.DATA_TRANSFORMATION", other, {"data": []}))) == []


def test_values_beside_the_object_that_names_them_are_moved_into_it_and_not_removed() -> None:
    settings = {"method": "GET", "url": "https://api.example.com/{{ sku }}"}
    document = _document("ACTION.HTTP_REQUEST", settings, {"sku": "AB-1"})
    fixed: Any = convert(_report(document).fixed.workflow, "toolweave")
    assert fixed["nodes"][1]["data"]["inputParams"] == {"url_variables": {"sku": "AB-1"}}


def test_a_fix_that_needs_another_one_of_its_node_is_applied_with_it() -> None:
    settings = {"operation": "srot", "sort_cofnig": {"field": "price"}}
    report = _report(_document("ACTION.DATA_TRANSFORMATION", settings, {"data": []}))
    assert _settings(report) == {"operation": "sort", "sort_config": {"field": "price"}}


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        ({"city": TEXT}, "{{ trigger.city }}"),
        ({"town": TEXT}, None),
    ],
)
def test_a_bare_name_is_the_only_field_of_this_name_before_it(
    declared: dict[str, Json], meant: str | None
) -> None:
    settings = {"method": "GET", "url": "https://api.example.com/"}
    first = node("one", "ACTION.HTTP_REQUEST", configurations=settings)
    settings = {"method": "GET", "url": "https://api.example.com/{{ city }}"}
    last = node("two", "ACTION.HTTP_REQUEST", configurations=settings)
    document = whole("names", [GO, first, last], [edge("go", "one"), edge("one", "two")])
    document["inputSchema"] = {"type": "object", "properties": declared}
    values = [step["value"] for one in _patched(_report(document)) for step in one.patch or ()]
    assert values == ([f"https://api.example.com/{meant}"] if meant else [])


def test_edges_are_known_by_the_nodes_they_name_and_their_direction_by_the_start() -> None:
    second = node("it", "FLOW.DELAY", configurations={"duration_seconds": 1})
    third = node("then", "FLOW.DELAY", configurations={"duration_seconds": 2})
    document = whole("edges", [GO, second, third], [])
    pairs = [{"this": "go", "that": "it"}, {"this": "it", "that": "then"}]
    document["connections"] = pairs
    ends = [(one.source, one.target) for one in _report(document).fixed.workflow.edges]
    assert ends == [("go", "it"), ("it", "then")]
    # Without an edge of the start, either may be the source.
    assert not any(
        one.source for one in _report(document | {"connections": pairs[1:]}).fixed.workflow.edges
    )


def test_nodes_are_known_by_their_types_and_ids_by_the_edges() -> None:
    second = node("it", "FLOW.DELAY", configurations={"duration_seconds": 1})
    document = whole("nodes", [GO, second], [edge("go", "it")])
    assert [one.id for one in _report(document).loaded.workflow.nodes] == ["go", "it"]
    for old, new in (("id", "handle"), ("type", "what")):
        renamed = [
            {new if key == old else key: one for key, one in given.items()}
            for given in document["nodes"]
        ]
        nodes = _report(document | {"nodes": renamed}).fixed.workflow.nodes
        assert [(one.id, one.type) for one in nodes] == [("go", "TRIGGER"), ("it", "FLOW")]
    document["boxes"] = document.pop("nodes")
    nodes = _report(document).fixed.workflow.nodes
    assert [(one.id, one.type) for one in nodes] == [("go", "TRIGGER"), ("it", "FLOW")]


def test_the_strongest_evidence_is_asked_first() -> None:
    slots = [
        NodeSlot(("configurations", "from_address"), TEXT, "The sender of the message."),
        NodeSlot(("configurations", "subject"), TEXT, "Its subject."),
        NodeSlot(("configurations", "level"), {"enum": ["low", "high"]}, "How loud it is."),
        NodeSlot(("configurations", "box", "left"), TEXT),
    ]

    def found(key: str, value: Json = "x", at: tuple[str, ...] = ()) -> dict[int, list[str]]:
        stray = Stray(("configurations", *at, key), value)
        named = ranks(stray, slots, [stray])
        return {rank: [one.name for one in those] for rank, those in named.items() if those}

    assert found("sbject")[NAMED] == ["subject"]
    assert found("sender")[DESCRIBED] == ["from_address"]
    assert found("kind", "high")[OPTION] == ["level"]
    assert OPTION not in found("response_volume", "high")
    assert found("rest", at=("box",))[ONLY] == ["left"]
    assert found("max_sender") == {}
    assert found("nothing") == {}


@pytest.mark.parametrize(
    ("value", "schema", "meant"),
    [
        ([{"name": "bug"}, {"name": "docs"}], {"type": "array", "items": TEXT}, [["bug", "docs"]]),
        (["a", None, ""], {"type": "array", "items": TEXT}, [["a"]]),
        ({"kwh": {"function": "sum"}}, {"additionalProperties": TEXT}, [{"kwh": "sum"}]),
        ({"schema": {"a": "x"}}, {"properties": {"a": TEXT}, "required": ["a"]}, [{"a": "x"}]),
        ([{"name": "bug", "color": "red"}], {"type": "array", "items": TEXT}, []),
    ],
)
def test_a_value_is_rebuilt_from_its_own_parts(
    value: Json, schema: dict[str, Json], meant: list[Json]
) -> None:
    closed = {"type": "object", "additionalProperties": False} if "properties" in schema else {}
    asked: dict[str, Json] = {**closed, **schema}
    if "additionalProperties" in schema:
        asked["type"] = "object"
    assert reshaped(value, asked, Explainer(compile_schema(asked))) == meant


def test_a_place_whose_schema_refers_to_the_whole_tool_takes_anything() -> None:
    closed: dict[str, Json] = {"type": "object", "properties": {"number": TEXT}}
    fields = (
        Field("payment", "object", "", schema={"oneOf": [{"$ref": "#/$defs/Card"}]}),
        Field("card", "object", "", schema=closed),
    )
    slots = slots_of(a_spec(inputs=fields))
    assert slots[("inputParams", "payment")].schema == {}
    assert ("inputParams", "card", "number") in slots


def test_a_name_compared_with_a_text_is_not_a_text() -> None:
    def offered(condition: str) -> list[Problem]:
        return _patched(_report(_document("FLOW.IF", {"condition_expression": condition})))

    (quoted,) = offered("data.kind == bug")
    assert quoted.patch is not None
    assert quoted.patch[0]["value"] == "data.kind == 'bug'"
    assert offered("kind == 'bug'") == []
