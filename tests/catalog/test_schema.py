"""The JSON Schemas derived from fields: what they let through and what they refuse."""

import pytest
from tests.catalog.builders import a_spec, live_catalog, our_catalog, our_spec

from toolweave.catalog.schema import (
    configuration_schema,
    field_schema,
    input_schema,
    output_schema,
)
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.tools.schema import compile_schema


def fits(schema: JsonObject, value: Json) -> bool:
    return compile_schema(schema).judge(value).verdict == "valid"


FIELDS: list[tuple[Field, list[Json], list[Json]]] = [
    (Field("a", "string", "A."), ["", "x"], [1, None, []]),
    (Field("a", "integer", "A.", minimum=1, maximum=3), [1, 3, 2.0], [0, 4, 1.5, "1", True]),
    (Field("a", "float", "A.", minimum=0.5), [0.5, 1], [0.4, "1"]),
    (Field("a", "boolean", "A."), [True, False], [0, "true"]),
    (Field("a", "object", "A."), [{}, {"b": 1}], [[], "{}"]),
    (Field("a", "array", "A."), [[], [1, "a"]], [{}, "a"]),
    (Field("a", "array", "A.", items="float"), [[], [1, 1.5]], [["a"], 1]),
    (Field("a", "array", "A.", items="any"), [[1, "a"]], ["a"]),
    (Field("a", "any", "A."), [None, 1, "a", [], {}], []),
    (Field("a", "string", "A.", options=("x", "y")), ["x"], ["z", ""]),
    (Field("a", "string", "A.", options=("x",), is_open=True), ["x", "z"], [1]),
    (Field("a", "array", "A.", options=("x", "y"), items="string"), [["x"], []], [["z"], "x"]),
    (Field("a", "array", "A.", options=("x",), is_open=True), [["z"]], ["x"]),
    (Field("a", "string", "A.", pattern="^/"), ["/a"], ["a"]),
    (Field("a", "any", "A.", schema={"const": 1}), [1], [2]),
]


@pytest.mark.parametrize(("field", "good", "bad"), FIELDS)
def test_a_field_takes_what_it_says(field: Field, good: list[Json], bad: list[Json]) -> None:
    schema = field_schema(field)
    assert [value for value in good if not fits(schema, value)] == []
    assert [value for value in bad if fits(schema, value)] == []


def test_a_schema_keeps_what_a_form_needs() -> None:
    field = Field("a", "string", "A secret.", "x", sensitive=True, options=("x",), is_open=True)
    assert field_schema(field) == {
        "description": "A secret.",
        "default": "x",
        "writeOnly": True,
        "type": "string",
        "examples": ["x"],
    }


AGENT = our_spec("AI_AGENT.OPENAI_CHATGPT")


def test_a_configuration_takes_aliases_and_refuses_other_names() -> None:
    schema = configuration_schema(AGENT)
    assert fits(schema, {"model": "gpt-5", "temperature": 1, "timeout": 10})
    assert fits(schema, {"model_version": "a model nobody listed"})
    assert not fits(schema, {"modle": "gpt-5"})
    assert not fits(schema, {"model": "gpt-5", "temperature": 3})


def test_what_has_a_default_may_be_left_out() -> None:
    assert fits(configuration_schema(AGENT), {})
    assert not fits(configuration_schema(our_spec("TRIGGER.CRON")), {})
    assert fits(configuration_schema(our_spec("TRIGGER.CRON")), {"cron_expression": "0 9 * * *"})


def test_a_required_input_may_be_given_by_its_other_name() -> None:
    schema = input_schema(AGENT)
    assert fits(schema, {"user_prompt": "Hello"})
    assert fits(schema, {"user_input": "Hello"})
    assert not fits(schema, {})
    assert not fits(schema, {"user_prompt": "Hello", "other": 1})


def test_an_output_may_hold_more_than_is_declared() -> None:
    schema = output_schema(our_spec("FLOW.IF"))
    assert fits(schema, {"data": 1, "condition_result": True, "more": 1})
    assert not fits(schema, {"data": 1, "condition_result": 1})
    assert not fits(schema, {"condition_result": True})


@pytest.mark.parametrize("spec", list(our_catalog()), ids=lambda spec: spec.ref)
def test_every_schema_of_ours_is_one_that_can_be_used(spec: NodeSpec) -> None:
    for schema in (configuration_schema(spec), input_schema(spec), output_schema(spec)):
        assert compile_schema(schema).problems == ()


def test_a_live_tools_input_is_judged_by_its_own_schema() -> None:
    live = [spec for spec in live_catalog() if spec.origin is not None]
    for spec in live:
        assert spec.origin is not None
        assert input_schema(spec) is spec.origin.input_schema
        assert compile_schema(output_schema(spec)).is_usable
    assert configuration_schema(live[0]) == configuration_schema(a_spec())
