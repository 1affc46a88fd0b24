"""Hints and JSON Patches: what fixes a problem really fixes it."""

import pytest
from tests.tools.builders import a_tool

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_arguments
from toolweave.tools.misspelling import closest, misspelt
from toolweave.tools.tool import Tool

TOOL = a_tool(
    {
        "region": {"enum": ["us-east-1", "eu-west-1"]},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "on": {"type": "boolean"},
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "config": {"type": "object", "properties": {"key": {"type": "string"}}},
        "level": {"enum": [1, 2]},
        "short": {"type": "integer", "maximum": 3},
        "format": {"enum": ["json", "jsonl", "markdown", "md"]},
    },
    additionalProperties=False,
)


def one(tool: Tool, arguments: Json) -> Problem:
    (problem,) = check_arguments(tool, arguments)
    return problem


def patched(value: Json, patch: tuple[JsonObject, ...]) -> Json:
    """`value` after the operations; enough of RFC 6902 for what is offered."""
    for operation in patch:
        value = _applied(value, operation)
    return value


def _applied(value: Json, operation: JsonObject) -> Json:
    *above, last = str(operation["path"]).split("/")[1:]
    if operation["op"] == "move":
        *_, source = str(operation["from"]).split("/")
    else:
        source = last
    if above:
        assert isinstance(value, dict)
        inner = {**operation, "path": "/" + "/".join([*above[1:], last])}
        if operation["op"] == "move":
            inner["from"] = "/" + "/".join([*above[1:], source])
        return value | {above[0]: _applied(value[above[0]], inner)}
    assert isinstance(value, dict)
    part = value[source] if operation["op"] == "move" else operation["value"]
    return {key: item for key, item in value.items() if key != source} | {last: part}


@pytest.mark.parametrize(
    ("arguments", "mended"),
    [
        ({"count": "5"}, {"count": 5}),
        ({"count": "five"}, {"count": 5}),
        ({"count": [5]}, {"count": 5}),
        ({"count": {"value": 5}}, {"count": 5}),
        ({"on": 0}, {"on": False}),
        ({"tags": "a, b"}, {"tags": ["a", "b"]}),
        ({"config": [{"name": "key", "value": "x"}]}, {"config": {"key": "x"}}),
        ({"count": " -5 "}, {"count": -5}),
        ({"ratio": "5"}, {"ratio": 5}),
        ({"ratio": "-0.5e2"}, {"ratio": -50.0}),
        ({"on": "True"}, {"on": True}),
        ({"on": "false"}, {"on": False}),
        ({"on": "yes"}, {"on": True}),
        ({"on": "Off"}, {"on": False}),
        ({"format": "jsno"}, {"format": "json"}),
        ({"format": "markdwn"}, {"format": "markdown"}),
        ({"format": "Mark_Down"}, {"format": "markdown"}),
        ({"name": 5}, {"name": "5"}),
        ({"name": True}, {"name": "true"}),
        ({"tags": "a"}, {"tags": ["a"]}),
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"config": '{"key": "x"}'}, {"config": {"key": "x"}}),
        ({"region": "US-East-1"}, {"region": "us-east-1"}),
        ({"region": " eu-west-1"}, {"region": "eu-west-1"}),
        ({"level": "2"}, {"level": 2}),
        ({"regionn": "us-east-1"}, {"region": "us-east-1"}),
        ({"Count": 3}, {"count": 3}),
    ],
)
def test_a_patch_makes_the_arguments_fit(arguments: Json, mended: Json) -> None:
    problem = one(TOOL, arguments)
    assert problem.hint
    assert problem.patch is not None
    assert patched(arguments, problem.patch) == mended
    assert check_arguments(TOOL, mended) == []


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"count": "many"}, None),
        ({"count": "007"}, None),
        ({"count": 1.5}, None),
        ({"short": "7"}, None),
        ({"tags": "[broken"}, None),
        ({"config": "{broken"}, None),
        ({"config": '{"key": 1}'}, None),
        ({"config": []}, None),
        ({"count": None}, "leave it out if there is no value"),
        ({"region": "us-east-2"}, None),
        ({"region": "mars"}, None),
        # As close to one as to another, too short to tell, or too far.
        ({"format": "jsonx"}, None),
        ({"format": "mp"}, None),
        ({"format": "marking"}, None),
        (
            {"counter": 1},
            "available: 'count', 'config', 'format', 'level', 'name', 'on', 'ratio', 'region'",
        ),
        ({"region": []}, None),
        ({"regionn": "nowhere"}, "did you mean 'region'? It does not take this value."),
        (
            {"zzz": 1},
            "available: 'config', 'count', 'format', 'level', 'name', 'on', 'ratio', 'region'",
        ),
    ],
)
def test_what_would_lose_something_or_not_fit_is_not_patched(
    arguments: Json, hint: str | None
) -> None:
    problem = one(TOOL, arguments)
    assert (problem.hint, problem.patch) == (hint, None)


def test_one_misspelt_required_name_is_patched_once() -> None:
    tool = a_tool({"region": {"type": "string"}}, required=["region"], additionalProperties=False)
    missing, unknown = check_arguments(tool, {"regionn": "x"})
    assert missing.hint == "rename 'regionn' to 'region'?"
    assert missing.patch == ({"op": "move", "from": "/regionn", "path": "/region"},)
    assert (unknown.code, unknown.patch) == ("MCP_PARAMETER_UNKNOWN", None)


def test_a_misspelt_name_whose_value_does_not_fit_is_only_hinted_at() -> None:
    tool = a_tool({"region": {"type": "string"}}, required=["region"])
    problem = one(tool, {"regionn": 5})
    hint = "rename 'regionn' to 'region'? It does not take this value."
    assert (problem.hint, problem.patch) == (hint, None)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": "x"}, "x"),
        ({"enum": ["x"]}, "x"),
        ({"type": "integer", "default": 3}, 3),
        ({"$ref": "#/$defs/fixed"}, 7),
    ],
)
def test_a_missing_value_that_is_known_is_added(schema: Json, value: Json) -> None:
    tool = a_tool({"a": schema}, {"$defs": {"fixed": {"const": 7}}}, required=["a"])
    problem = one(tool, {})
    assert problem.patch == ({"op": "add", "path": "/a", "value": value},)


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "default": 3}, {}])
def test_a_missing_value_that_is_not_known_is_not_added(schema: Json) -> None:
    assert one(a_tool({"a": schema}, required=["a"]), {}).patch is None


def test_an_unknown_key_of_an_object_that_allows_none_can_only_go() -> None:
    assert one(a_tool({}, additionalProperties=False), {"a": 1}).hint == "remove it"


def test_a_place_inside_an_array_is_found() -> None:
    item: Json = {"type": "object", "properties": {"name": {}}, "additionalProperties": False}
    problem = one(a_tool({"a": {"items": item}}), {"a": [{}, {"nmae": 1}]})
    assert problem.patch == ({"op": "move", "from": "/a/1/nmae", "path": "/a/1/name"},)


def test_the_closest_name_ignores_case_and_gives_up_on_long_ones() -> None:
    assert closest("REGION", ["region", "reason"]) == "region"
    assert closest("x", ["region"]) is None
    assert closest("a" * 50, ["a" * 50]) is None
    assert closest("a" * 40, ["a" * 50]) is None


@pytest.mark.parametrize(
    ("wrong", "known", "meant"),
    [
        ("userName", ["user_name", "user"], "user_name"),
        ("send_mesage", ["send_message", "send_file"], "send_message"),
        ("nmae", ["name", "same"], "name"),
        ("conditon_expresion", ["condition_expression"], "condition_expression"),
        ("sort_dsc", ["sort_asc", "sort_desc"], None),
        ("us-east-2", ["us-east-1"], None),
        ("ab", ["abc"], None),
        ("AB", ["ab"], "ab"),
        ("a" * 50, ["a" * 50], None),
        ("anything", [], None),
    ],
)
def test_a_slip_has_one_clear_meaning_or_none(
    wrong: str, known: list[str], meant: str | None
) -> None:
    assert misspelt(wrong, known) == meant


def test_two_names_for_one_missing_are_not_patched() -> None:
    tool = a_tool({"region": {"type": "string"}}, required=["region"])
    problem = one(tool, {"regionn": "x", "regio": "y"})
    assert problem.patch is None


def test_an_unknown_key_is_not_offered_for_a_field_when_another_is_closer() -> None:
    fields: JsonObject = {"sort_field": {"type": "string"}, "order": {"enum": ["asc", "desc"]}}
    tool = a_tool(fields, required=["sort_field"], additionalProperties=False)
    hints = {problem.code: problem.hint for problem in check_arguments(tool, {"sort_order": "x"})}
    assert "rename" not in (hints["MCP_PARAMETER_REQUIRED"] or "")
    assert hints["MCP_PARAMETER_UNKNOWN"] == "available: 'order', 'sort_field'"
    near = {problem.code: problem.hint for problem in check_arguments(tool, {"sortfields": "x"})}
    assert near["MCP_PARAMETER_REQUIRED"] == "rename 'sortfields' to 'sort_field'?"


_DEFINITIONS: JsonObject = {
    name: {
        "type": "object",
        "properties": {"city": {"type": "string"}, other: {"type": "string"}},
        "additionalProperties": False,
    }
    for name, other in (("Address", "postcode"), ("Billing", "vat"))
}
ADDRESSED = a_tool(
    {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/Address"},
        "billing": {"$ref": "#/$defs/Billing"},
    },
    additionalProperties=False,
    **{"$defs": _DEFINITIONS},
)


def test_a_member_beside_the_only_object_that_lacks_it_is_moved_into_it() -> None:
    problem = one(ADDRESSED, {"address": {"postcode": "0150"}, "city": "Oslo"})
    assert problem.patch == ({"op": "move", "from": "/city", "path": "/address/city"},)


@pytest.mark.parametrize(
    "arguments",
    [
        {"address": {"postcode": "0150"}, "billing": {"vat": "1"}, "city": "Oslo"},
        {"address": {"city": "Bergen"}, "city": "Oslo"},
        {"address": {}, "city": 5},
    ],
)
def test_a_member_that_two_objects_lack_or_none_takes_is_not_moved(arguments: Json) -> None:
    patch = one(ADDRESSED, arguments).patch or ()
    assert "move" not in [operation["op"] for operation in patch]


def test_a_postcode_has_the_names_of_other_countries() -> None:
    problem = one(ADDRESSED, {"address": {"city": "Oslo", "zip": "0150"}})
    move = {"op": "move", "from": "/address/zip", "path": "/address/postcode"}
    assert problem.patch == (move,)
