"""Compiling and evaluating: places of faults, kinds, results as JSON, the memo."""

import pytest

from toolweave.cel import language
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import (
    REMEMBERED_CHARS,
    Expression,
    Value,
    compile_text,
    evaluate,
    references,
)
from toolweave.json_text import Json
from toolweave.problems import Problem


def value_of(text: str, **variables: Json) -> Json:
    result = evaluate(text, variables)
    assert isinstance(result, Value), result
    return result.value


def fault_of(text: str, **variables: Json) -> SyntaxProblem:
    result = evaluate(text, variables)
    assert isinstance(result, SyntaxProblem), result
    return result


def the_fault(text: str) -> SyntaxProblem:
    [fault] = compile_text(text).faults
    return fault


def test_a_condition_over_data_has_a_value() -> None:
    data: Json = {"score": 95, "status": "active", "tags": ["a", "b"]}
    assert value_of("data.score > 80 && data.status == 'active'", data=data) is True
    assert value_of("data.tags.map(t, t + '!')", data=data) == ["a!", "b!"]
    assert value_of("{'n': size(data.tags)}", data=data) == {"n": 2}


def test_what_is_read_is_passed_on_as_it_is() -> None:
    rows: list[Json] = [{"z": 1, "a": 10**30, "t": "x\0y"}]
    assert value_of("data.rows", data={"rows": rows}) is rows
    assert value_of("true ? data.rows : []", data={"rows": rows}) is rows
    found = value_of("[data.rows]", data={"rows": rows})
    assert isinstance(found, list)
    assert found[0] is rows


def test_a_map_is_gone_through_in_its_own_order() -> None:
    data: Json = dict.fromkeys("zyxwvutsrqponmlkjihgfedcba", 1)
    assert value_of("data.map(key, key)", data=data) == list("zyxwvutsrqponmlkjihgfedcba")
    assert value_of("{1: 'a', true: 'b', 'c': 'd'}.map(key, key)") == [1, True, "c"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("timestamp('2025-11-16T10:30:00+01:00')", "2025-11-16T09:30:00Z"),
        ("[duration('1h30m'), duration('0.25s')]", ["5400s", "0.250s"]),
        ("[1u, 2u]", [1, 2]),
        ("{'a': [null, 1.5, {'b': true}]}", {"a": [None, 1.5, {"b": True}]}),
        ("5u", 5),
    ],
)
def test_a_result_is_json(text: str, value: Json) -> None:
    found = value_of(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("b'a'", "write base64.encode(x) or string(x)"),
        ("[b'a']", "write base64.encode(x) or string(x)"),
        ("{'a': 1}.?b", "write orValue(x) after it"),
        ("type(1)", "write string(x) for a text; a type is only to compare with"),
        ("1.0 / 0.0", "JSON has no infinity; ask first: x != 0.0"),
        ("[0.0 / 0.0]", "JSON has no infinity; ask first: x != 0.0"),
        ("{1: 'a'}", "write string(key)"),
        ("[{true: 'a'}]", "write string(key)"),
    ],
)
def test_a_result_that_json_cannot_hold_says_what_to_write(text: str, hint: str) -> None:
    fault = fault_of(text)
    assert (fault.code, fault.hint) == ("EXPRESSION_FAILED", hint)


def test_places_count_characters_and_lines() -> None:
    fault = the_fault("data.x == '🐱é'\n  && data. y +")
    assert (fault.line, fault.column, fault.offset) == (2, 15, 29)
    assert fault.problem("/a/b") == Problem(
        "EXPRESSION_INVALID",
        "/a/b",
        "the expression ends where a value is expected (line 2, column 15)",
    )
    message = the_fault("a +").problem("").message
    assert message == "the expression ends where a value is expected (column 4)"


def test_a_place_outside_the_text_is_brought_back() -> None:
    assert fault_at("ab", 9, "C", "m").offset == 2
    assert fault_at("ab", -1, "C", "m").offset == 0


@pytest.mark.parametrize(
    ("text", "code", "place", "hint"),
    [
        ("1 + 1.5", "EXPRESSION_TYPE", 2, "write double(x) around the whole number"),
        ("'a' + 1", "EXPRESSION_TYPE", 4, None),
        ("'a' < 1", "EXPRESSION_TYPE", 4, None),
        ("size(1)", "EXPRESSION_TYPE", 4, None),
        ("1 in 'a'", "EXPRESSION_TYPE", 2, None),
        ("1 ? 2 : 3", "EXPRESSION_TYPE", 2, None),
        ("5.map(x, x)", "EXPRESSION_TYPE", 0, None),
        (
            "nodes.node-2.x",
            "EXPRESSION_TYPE",
            12,
            "a key with a hyphen is written in brackets: x['a-b']",
        ),
        ("data.foo(1)", "EXPRESSION_FUNCTION_UNKNOWN", 8, None),
        ("sizze(data)", "EXPRESSION_FUNCTION_UNKNOWN", 5, "did you mean 'size'?"),
        ("size(data, 1)", "EXPRESSION_FUNCTION_UNKNOWN", 4, None),
        (
            "base64.x(b'')",
            "EXPRESSION_FUNCTION_UNKNOWN",
            8,
            "there are base64.decode, base64.encode",
        ),
        (
            "google.protobuf.Timestamp{seconds: 1}",
            "EXPRESSION_UNSUPPORTED",
            0,
            "write a map: {'key': value}",
        ),
        ("contains('a', 'b')", "EXPRESSION_FUNCTION_UNKNOWN", 8, "write x.contains()"),
        ("data.int()", "EXPRESSION_FUNCTION_UNKNOWN", 8, "write int(x)"),
    ],
)
def test_what_cannot_run_is_told_before_it_runs(
    text: str, code: str, place: int, hint: str | None
) -> None:
    fault = the_fault(text)
    assert (fault.code, fault.offset, fault.hint) == (code, place, hint)
    assert (fault.severity, compile_text(text).is_usable) == ("error", False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true ? 1 : 'x'", 1),
        ("true ? null : 'x'", None),
        ("1 < 1.5", True),
        ("1 == 1.0", True),
        ("[1, 2] == [1.0, 2.0]", True),
        ("'a' in [1]", False),
        ("[1, 'a', null]", [1, "a", None]),
        ("math.greatest(1, 2.5)", 2.5),
    ],
)
def test_what_runs_is_no_fault_though_the_checker_frowns(text: str, value: Json) -> None:
    assert compile_text(text).faults == ()
    assert value_of(text) == value


def test_an_equality_that_never_holds_is_a_warning() -> None:
    fault = the_fault("1 == 'a'")
    assert (fault.code, fault.severity) == ("EXPRESSION_TYPE", "warning")
    assert value_of("1 == 'a'") is False


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("data.a > 1", "bool"),
        ("has(data.a)", "bool"),
        ("data.a", "dyn"),
        ("data.a[0].b", "dyn"),
        ("size(data)", "int"),
        ("'a' + data.b", "string"),
        ("data.map(x, x)", "list"),
        ("{'a': 1}", "map"),
        ("true ? 1 : 'a'", "dyn"),
        ("1 == 'a'", "bool"),
        ("[?1]", None),
        ("{1.5: 1}", None),
        ("a +", None),
    ],
)
def test_the_kind_of_a_result_is_told_where_it_is_known(text: str, kind: str | None) -> None:
    assert compile_text(text).kind == kind


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("data.nmae", 4, "there is no key 'nmae'", "did you mean 'name'?"),
        ("data.zzz", 4, "there is no key 'zzz'", "ask first with has(), or use .?"),
        ("data[3]", 4, "there is no key 3", "ask first with has(), or use .?"),
        ("dta.name", 0, "there is no 'dta' here", "did you mean 'data'?"),
        ("1 + data.f", 2, "+ does not work on int and double", None),
        ("data.none.x", 9, "null has no 'x'", "a value is null; use .? to skip it"),
        ("data.list[5]", 9, "there is no item 5; the list has 2", None),
        ("data.list['a']", 9, None, None),
        ("data.name[0]", 9, "string has no items or keys", None),
        ("1 + data.none", 2, "+ does not work on int and null", None),
        ("data.name + 1", 10, "+ does not work on string and int", None),
        ("data.list.map(x, 1 / (x - 1))", 19, "a number is divided by zero", "ask first: x != 0"),
        ("data.name ? 1 : 2", 10, "? : does not work on string", None),
        ("data.name.matches('(')", 17, "the pattern cannot be used: missing ): (", None),
        ("{data.list: 1}", 5, "list cannot be a key", None),
        ("{data.name: 1, 'ada': 2}", 15, "the map has the same key twice", None),
    ],
)
def test_a_failure_points_at_the_part_that_failed(
    text: str, place: int, message: str | None, hint: str | None
) -> None:
    data: Json = {"name": "ada", "none": None, "list": [1, 2], "f": 0.5}
    fault = fault_of(text, data=data)
    assert (fault.code, fault.offset) == ("EXPRESSION_FAILED", place)
    assert message in (None, fault.message)
    assert hint in (None, fault.hint)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1 + data.f", "write double(x) around the whole number"),
        ("data.n * 1.5", "write double(x) around the whole number"),
        (
            "data.s + 1",
            "write string(x) around what is no text, or int(x) and double(x) around the text",
        ),
        ("data.none + 1", "a value is null; ask for it first: x != null"),
        ("data.none - data.none", "a value is null; ask for it first: x != null"),
        ("data.yes + data.yes", None),
    ],
)
def test_kinds_that_do_not_mix_get_a_hint(text: str, hint: str | None) -> None:
    data: Json = {"f": 0.5, "n": 1, "s": "a", "none": None, "yes": True}
    assert fault_of(text, data=data).hint == hint


def test_a_long_key_or_a_large_object_is_not_searched_for_a_likeness() -> None:
    many: dict[str, Json] = {f"name{index}": 1 for index in range(1_000)}
    assert fault_of("data.nam1", data=many).hint == "ask first with has(), or use .?"
    fault = fault_of("data[data.key]", data={"key": "x" * 500})
    assert len(fault.message) < 120


def test_a_variable_hides_the_type_of_the_same_name() -> None:
    assert value_of("list", list=[1]) == [1]
    assert value_of("type(data) == list", data=[]) is True


def test_names_of_any_kind_are_checked_too() -> None:
    assert compile_text("user_id + 'a' + 1").faults[0].code == "EXPRESSION_TYPE"
    assert value_of("user_id + other_id", user_id=1, other_id=2) == 3


def test_a_text_is_compiled_once_and_forgotten_in_the_end() -> None:
    memo = language._Recent(40)  # pyright: ignore[reportPrivateUsage] # its bound is what is tested
    first = memo.expression("data.first > 1")
    assert memo.expression("data.first > 1") is first
    memo.expression("data.second > 1")
    assert memo.expression("data.first > 1") is first
    memo.expression("data.third > 1")
    assert memo.expression("data.first > 1") is first
    assert memo.expression("data.second > 1").is_usable
    assert memo.expression("data.third > 1").is_usable
    again = memo.expression("data.first > 1")
    assert again.references == first.references
    assert again is not first
    assert REMEMBERED_CHARS < 1_000_000


def test_an_expression_is_plain_data() -> None:
    assert Expression("a").is_usable is False
    assert [one.text for one in references("data.a + data.b")] == ["data.a", "data.b"]
    assert references("data. +") == ()
