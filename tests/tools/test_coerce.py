"""Arguments from the command line, converted by the schema."""

import pytest
from tests.tools.builders import a_tool

from toolweave.json_text import Json, JsonObject
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.tool import Tool

SHAPE: Json = {
    "oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
        {"type": "object", "properties": {"kind": {"const": "rect"}, "r": {"type": "string"}}},
    ]
}
TOOL = a_tool(
    {
        "text": {"type": "string"},
        "maybe": {"type": ["string", "null"]},
        "count": {"type": "integer"},
        "ratio": {"type": ["number", "null"]},
        "on": {"type": "boolean"},
        "nothing": {"type": "null"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": ["array", "null"], "items": {"type": "integer"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "filter": {
            "type": "object",
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "object", "properties": {"c": {"type": "boolean"}}},
            },
            "additionalProperties": False,
        },
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"x": {"type": "integer"}}},
        },
        "map": {"type": ["object", "null"], "additionalProperties": {"type": "integer"}},
        "open": {"type": "object"},
        "any": {},
        "mixed": {"enum": ["a", 1, None, True]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "string"}]},
        "limited": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]},
        "shape": SHAPE,
        "dotted.name": {"type": "integer"},
    }
)


@pytest.mark.parametrize(
    ("pairs", "arguments"),
    [
        (["text=hello"], {"text": "hello"}),
        (["text=5"], {"text": "5"}),
        (["text=null"], {"text": "null"}),
        (["text="], {"text": ""}),
        (["text=a=b"], {"text": "a=b"}),
        (["text=@file"], {"text": "@file"}),
        (['text={"a": 1}'], {"text": '{"a": 1}'}),
        (["maybe=null"], {"maybe": "null"}),
        (["count=-7"], {"count": -7}),
        (["ratio=1.5"], {"ratio": 1.5}),
        (["ratio=2"], {"ratio": 2}),
        (["ratio=null"], {"ratio": None}),
        (["on=true"], {"on": True}),
        (["on=Yes"], {"on": True}),
        (["on=1"], {"on": True}),
        (["on=off"], {"on": False}),
        (["on=0"], {"on": False}),
        (["nothing=null"], {"nothing": None}),
        (["tags=a"], {"tags": ["a"]}),
        (["tags=a", "text=x", "tags=b"], {"tags": ["a", "b"], "text": "x"}),
        (['tags=["a", "b"]'], {"tags": ["a", "b"]}),
        (["tags=no"], {"tags": ["no"]}),
        (["tags.0=a", "tags.1=b"], {"tags": ["a", "b"]}),
        (["tags=a", "tags.1=b"], {"tags": ["a", "b"]}),
        (["numbers=1", "numbers=2"], {"numbers": [1, 2]}),
        (["numbers=null"], {"numbers": None}),
        (["pair=1", "pair=2", "pair=3"], {"pair": ["1", 2, 3]}),
        (["filter.a=1", "filter.b.c=yes"], {"filter": {"a": 1, "b": {"c": True}}}),
        (['filter={"a": 1}'], {"filter": {"a": 1}}),
        (['filter={"a": 1}', "filter.a=2"], {"filter": {"a": 2}}),
        (["rows.0.x=1", "rows.1.x=2"], {"rows": [{"x": 1}, {"x": 2}]}),
        (['rows=[{"x": 1}]'], {"rows": [{"x": 1}]}),
        (["map.a=1", "map.b=2"], {"map": {"a": 1, "b": 2}}),
        (["map=null"], {"map": None}),
        (["open.a=5", "open.b=five"], {"open": {"a": 5, "b": "five"}}),
        (["any=5"], {"any": 5}),
        (["any=text"], {"any": "text"}),
        (["any=null"], {"any": None}),
        (["any.a=1"], {"any": {"a": 1}}),
        (["mixed=a"], {"mixed": "a"}),
        (["mixed=1"], {"mixed": 1}),
        (["mixed=true"], {"mixed": True}),
        (["either=5"], {"either": 5}),
        (["either=true"], {"either": True}),
        (["either=five"], {"either": "five"}),
        (["limited=null"], {"limited": None}),
        (["shape.kind=circle", "shape.r=1"], {"shape": {"kind": "circle", "r": 1}}),
        (["shape.kind=rect", "shape.r=1"], {"shape": {"kind": "rect", "r": "1"}}),
        (["shape.r=x"], {"shape": {"r": "x"}}),
        (["dotted.name=5"], {"dotted.name": 5}),
    ],
)
def test_text_becomes_what_the_schema_asks_for(pairs: list[str], arguments: JsonObject) -> None:
    assert coerce_arguments(TOOL, pairs) == (arguments, [])


@pytest.mark.parametrize(
    ("pair", "code", "pointer"),
    [
        ("count=five", "MCP_PARAMETER_INVALID_TYPE", "/count"),
        ("count=1.5", "MCP_PARAMETER_INVALID_TYPE", "/count"),
        ("count=", "MCP_PARAMETER_INVALID_TYPE", "/count"),
        ("count=99999999999999999999", "MCP_PARAMETER_INVALID_TYPE", "/count"),
        ("on=maybe", "MCP_PARAMETER_INVALID_TYPE", "/on"),
        ("nothing=0", "MCP_PARAMETER_INVALID_TYPE", "/nothing"),
        ("tags=[broken", "MCP_PARAMETER_INVALID_TYPE", "/tags"),
        ("tags.5=a", "MCP_PARAMETER_INVALID_TYPE", "/tags"),
        ("numbers=x", "MCP_PARAMETER_INVALID_TYPE", "/numbers/0"),
        ("filter=text", "MCP_PARAMETER_INVALID_TYPE", "/filter"),
        ("filter=null", "MCP_PARAMETER_INVALID_TYPE", "/filter"),
        ("filter.a=x", "MCP_PARAMETER_INVALID_TYPE", "/filter/a"),
        ("filter.z=1", "MCP_PARAMETER_UNKNOWN", "/filter/z"),
        ("count.a=1", "MCP_PARAMETER_INVALID_TYPE", "/count"),
        ("limited=text", "MCP_PARAMETER_INVALID_TYPE", "/limited"),
        ("zzz=1", "MCP_PARAMETER_UNKNOWN", "/zzz"),
        ("zzz.a=1", "MCP_PARAMETER_UNKNOWN", "/zzz.a"),
        ("text", "USAGE", ""),
        ("=5", "USAGE", ""),
    ],
)
def test_text_that_cannot_be_converted_is_reported_and_left_out(
    pair: str, code: str, pointer: str
) -> None:
    arguments, problems = coerce_arguments(TOOL, [pair, "text=kept"])
    assert arguments == {"text": "kept"}
    assert [(problem.code, problem.pointer) for problem in problems] == [(code, pointer)]


def test_a_value_given_twice_is_reported() -> None:
    _, problems = coerce_arguments(TOOL, ["count=1", "count=2"])
    assert problems[0].message == "'count' is given 2 times; expected an integer"


def test_an_unknown_name_is_answered_with_the_closest_or_all() -> None:
    _, problems = coerce_arguments(TOOL, ["cuont=1", "zzz=1"])
    assert problems[0].hint == "did you mean 'count'?"
    assert problems[1].hint is not None
    assert problems[1].hint.startswith("available: 'text', 'maybe'")
    _, problems = coerce_arguments(a_tool({}), ["a=1"])
    assert problems[0].hint is None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (a_tool({}, additionalProperties=True), {"a.b": 5}),
        (a_tool({}, additionalProperties={"type": "integer"}), None),
        (a_tool({}, additionalProperties={"type": "object"}), {"a": {"b": 5}}),
    ],
)
def test_an_object_that_says_it_is_open_takes_other_names(
    tool: Tool, arguments: JsonObject | None
) -> None:
    found, problems = coerce_arguments(tool, ["a.b=5"])
    assert found == (arguments or {})
    assert bool(problems) == (arguments is None)


def test_names_by_pattern_are_taken_as_they_come() -> None:
    tool = a_tool({"o": {"patternProperties": {"^x": {}}, "additionalProperties": False}})
    assert coerce_arguments(tool, ["o.x1=5"]) == ({"o": {"x1": 5}}, [])
