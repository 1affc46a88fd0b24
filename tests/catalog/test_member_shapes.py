"""The notation of members, and that what specifications say with it is true of their examples."""

import pytest

from toolweave.catalog.member_shapes import member_schema
from toolweave.catalog.schema import output_schema
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.tools.schema import compile_schema


@pytest.mark.parametrize(
    ("notation", "fits", "refused"),
    [
        ("{name*, size: integer 1..9}", {"name": "a", "size": 9}, {"size": 9}),
        ("{name*, size: integer 1..9}", {"name": "a"}, {"name": "a", "size": 10}),
        ("{kind: text|voice}", {"kind": "voice"}, {"kind": "Voice"}),
        ("{kind: text|voice}", {}, {"sort": "text"}),
        ("{kind: text|voice, …}", {"sort": "text"}, {"kind": 1}),
        ("{*: number}", {"a": 1, "b": 1.5}, {"a": "1"}),
        ("{at: id}", {"at": 7}, {"at": True}),
        ("{low: number -1.5..0}", {"low": -1.5}, {"low": -2}),
        ("[{rows: [string]}]", [{"rows": ["a"]}], [{"rows": [1]}]),
        ("[string or {text*}]", ["a", {"text": "b"}], ["a", {"label": "b"}]),
        ("{wait: 60|1440, more: any}", {"wait": 60, "more": [None]}, {"wait": 61}),
    ],
)
def test_a_notation_takes_what_it_says_and_nothing_else(
    notation: str, fits: Json, refused: Json
) -> None:
    compiled = compile_schema(member_schema(notation))
    assert compiled.problems == ()
    assert compiled.judge(fits).verdict == "valid"
    assert compiled.judge(refused).verdict == "invalid"


def test_defaults_and_examples_of_every_node_fit_the_members_of_their_fields() -> None:
    looked_at = 0
    for node in discover():
        spec = node.spec
        parts = [(spec.configurations, "configurations"), (spec.inputs, "input_params")]
        for fields, part in parts:
            for field in (one for one in fields if one.members):
                compiled = compile_schema(member_schema(field.members or ""))
                given = [getattr(one, part).get(field.name) for one in spec.examples]
                for value in (field.default, *given):
                    looked_at += value is not None
                    verdict = compiled.judge(value).verdict
                    assert value is None or verdict == "valid", (spec.ref, field.name, value)
    assert looked_at > 60


def test_expected_outputs_of_examples_fit_what_the_specification_says_is_in_them() -> None:
    looked_at = 0
    for node in discover():
        if any(field.members for field in node.spec.outputs):
            compiled = compile_schema(output_schema(node.spec))
            for example in node.spec.examples:
                if example.expected_output is not None:
                    looked_at += 1
                    assert compiled.judge(example.expected_output).verdict == "valid"
    assert looked_at > 5
