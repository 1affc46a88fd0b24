"""Older syntaxes: what they become, what that gives, and what cannot be translated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady

from toolweave.cel.language import Value, compile_text, evaluate
from toolweave.json_text import Json
from toolweave.workflow.formats.legacy.translate import (
    Translation,
    translate_condition,
    translate_expression,
    translate_mapping,
    translate_template,
    translate_value,
)

DATA: dict[str, Json] = {
    "score": 95,
    "ratio": 0.5,
    "status": "active",
    "verified": True,
    "tags": ["a", "b"],
    "none": None,
    "user": {"name": "Ada", "email": "ada@example.com", "first-name": "Ada"},
    "items": [{"price": 5, "ok": True}, {"price": 20, "ok": False}],
    "count": 7,
    "text": " Hello ",
}


@pytest.mark.parametrize(
    ("script", "cel", "value"),
    [
        ("data.score > 80", "data.score > 80", True),
        ("data.status === 'active'", "data.status == 'active'", True),
        ('data.status !== "active"', "data.status != 'active'", False),
        (
            "data.score >= 90 && data.status === 'active'",
            "data.score >= 90 && data.status == 'active'",
            True,
        ),
        (
            "(data.score < 1 || data.count === 7) && data.ratio <= 1",
            "(data.score < 1 || data.count == 7) && data.ratio <= 1",
            True,
        ),
        ("!(data.score === 1)", "!(data.score == 1)", True),
        ("data.tags.length > 1", "size(data.tags) > 1", True),
        ("data.status.length === 6", "size(data.status) == 6", True),
        ("data.tags.includes('b')", "data.tags.contains('b')", True),
        ("data.status.includes('act')", "data.status.contains('act')", True),
        ("data.none === null", "data.none == null", True),
        ("null !== data.none", "data.none != null", False),
        ("data.missing === undefined", "!has(data.missing)", True),
        ("data.score !== undefined", "has(data.score)", True),
        ("typeof data.missing === 'undefined'", "!has(data.missing)", True),
        ("data.missing == undefined", "!has(data.missing) || data.missing == null", True),
        ("data.none != undefined", "has(data.none) && data.none != null", False),
        (
            "!(data.missing == undefined) || data.count === 7",
            "!(!has(data.missing) || data.missing == null) || data.count == 7",
            True,
        ),
        ("data.tags[0] === undefined", "data.tags[0] == null", False),
        ("data === undefined", "data == null", False),
        ("typeof data.score === 'number'", "type(data.score) in [int, double]", True),
        ("'string' !== typeof data.score", "!(type(data.score) == string)", True),
        ("typeof data.user === 'object'", "type(data.user) == map", True),
        ("typeof data.verified === 'boolean'", "type(data.verified) == bool", True),
        ("Array.isArray(data.tags)", "type(data.tags) == list", True),
        ("data?.user?.email === 'x'", "data.?user.?email.orValue(null) == 'x'", False),
        ("data?.nobody?.email === undefined", "data.?nobody.?email.orValue(null) == null", True),
        ("data.user?.name.length === 3", "size(data.user.?name.orValue(null)) == 3", True),
        ("data.items.some(i => i.price > 10)", "data.items.exists(i, i.price > 10)", True),
        ("data.items.every((i) => i.price > 10)", "data.items.all(i, i.price > 10)", False),
        (
            "data.items.filter(i => i.price > 10).length === 1",
            "size(data.items.filter(i, i.price > 10)) == 1",
            True,
        ),
        (
            "data.items.map(i => i.price).includes(5)",
            "data.items.map(i, i.price).contains(5)",
            True,
        ),
        ("data.score / 2 === 47.5", "double(data.score) / 2.0 == 47.5", True),
        # It is CEL already, where whole numbers stay whole.
        ("data.score / 2 > 47", "data.score / 2 > 47", False),
        ("data.ratio * 2 === 1", "double(data.ratio) * 2.0 == 1", True),
        (
            "data.score - data.ratio === 94.5",
            "double(data.score) - double(data.ratio) == 94.5",
            True,
        ),
        ("data.score + 1.5 === 96.5", "double(data.score) + 1.5 == 96.5", True),
        ("data.count % 2 === 1", "int(data.count) % 2 == 1", True),
        ("-data.count === -7", "-data.count == -7", True),
        ("+data.count === 7", "double(data.count) == 7", True),
        ("(data.score - 5) * 2 === 180", "(double(data.score) - 5.0) * 2.0 == 180", True),
        ("data.score + data.count === 102", "data.score + data.count == 102", True),
        ("'n' + data.count === 'n7'", "'n' + string(data.count) == 'n7'", True),
        (
            "data.status + '!' + 1 === 'active!1'",
            "string(data.status) + '!' + string(1) == 'active!1'",
            True,
        ),
        ("parseInt('12') === 12", "int('12') == 12", True),
        ("Number('1.5') + 1 === 2.5", "double('1.5') + 1.0 == 2.5", True),
        ("String(data.count) === '7'", "string(data.count) == '7'", True),
        ("data.count.toString() === '7'", "string(data.count) == '7'", True),
        ("data.ratio.toFixed(2) === '0.50'", "'%.2f'.format([data.ratio]) == '0.50'", True),
        ("Math.max(data.score, 3) === 95", "math.greatest(data.score, 3) == 95", True),
        ("Math.min(data.score, 3) === 3", "math.least(data.score, 3) == 3", True),
        ("Math.round(data.ratio) === 1", "math.round(double(data.ratio)) == 1", True),
        ("Math.abs(data.count) === 7", "math.abs(data.count) == 7", True),
        ("data.status.toUpperCase() === 'ACTIVE'", "data.status.upperAscii() == 'ACTIVE'", True),
        ("data.text.trim().startsWith('H')", "data.text.trim().startsWith('H')", True),
        (
            "data.status.toLowerCase().replace('a', 'A') === 'Active'",
            "data.status.lowerAscii().replace('a', 'A', 1) == 'Active'",
            True,
        ),
        ("Object.keys(data.user).length === 3", "size(data.user.map(key, key)) == 3", True),
        (
            "'name' in data.user && data.tags.length > 0",
            "'name' in data.user && size(data.tags) > 0",
            True,
        ),
        (
            "data.user['first-name'] === \"Ada\"",
            "data.user['first-name'] == 'Ada'",
            True,
        ),
        ("data.user['name'] === 'Ada'", "data.user.name == 'Ada'", True),
        ("data.tags[data.tags.length - 6] === 'x'", None, None),
        ("data.in === 1", "data['in'] == 1", None),
        ("[1, 2,].length === 2", "size([1, 2]) == 2", True),
        ("({a: 1, 'b c': 2}).a === 1", "{'a': 1, 'b c': 2}.a == 1", True),
        ("'\\u00e9\\x41\\n\\'\\u{1F431}\\ud83d\\ude00' === ''", "'éA\\n\\'🐱😀' == ''", False),
        (
            "data.score > 80 and not (data.count == 1)",
            "data.score > 80 && !(data.count == 1)",
            True,
        ),
        ("data.score > 80 or False", "data.score > 80 || false", True),
        ("data.none == None and True", "!has(data.none) || data.none == null", None),
        ("len(data.tags) == 2", "size(data.tags) == 2", True),
        ("input_data.get('x', 5) == 5", "data[?'x'].orValue(5) == 5", True),
        ("input_data.get('x') == 5", "data[?'x'].orValue(null) == 5", False),
        ("$json.score > 80", "data.score > 80", True),
        ('$node["n-1"].result.ok === true', "nodes['n-1'].result.ok == true", None),
        (
            "data.count > 5 ? data.score > 1 : data.none === 2",
            "data.count > 5 ? data.score > 1 : data.none == 2",
            True,
        ),
    ],
)
def test_a_condition_becomes_cel_with_the_same_answer(
    script: str, cel: str | None, value: Json
) -> None:
    found = translate_condition(script)
    if cel is None:
        assert found.text is not None
    elif "None and True" not in script:
        assert found.text == cel
        assert found.faults == ()
    if value is not None:
        assert found.text is not None
        assert evaluate(found.text, {"data": DATA}) == Value(value)


def test_loose_comparison_binds_as_it_did() -> None:
    found = translate_condition("data.none == None and data.score === 1")
    assert found.text == "(!has(data.none) || data.none == null) && data.score == 1"


@pytest.mark.parametrize(
    ("script", "cel", "value"),
    [
        (
            "$json.missing ?? 'none'",
            "has(data.missing) && data.missing != null ? data.missing : 'none'",
            "none",
        ),
        ("$json.none ?? 'none'", None, "none"),
        ("$json.status ?? 'none'", None, "active"),
        ("$json.tags[0] ?? 'none'", "data.tags[0] != null ? data.tags[0] : 'none'", "a"),
        ("$json.score > 90 ? 'high' : $json.score > 50 ? 'mid' : 'low'", None, "high"),
        (
            "{a: $json.count, b: [$json.status]}",
            "{'a': data.count, 'b': [data.status]}",
            {"a": 7, "b": ["active"]},
        ),
        ("$json.count + 1", "double(data.count) + 1.0", 8.0),
        ("$json.user.first-name", "data.user['first-name']", "Ada"),
        ("$json.tags.0", "data.tags[0]", "a"),
        ("$json['user'][\"name\"]", "data.user.name", "Ada"),
        ("$json", "data", DATA),
        ("data.text", "data.text", " Hello "),
    ],
)
def test_an_expression_becomes_cel_with_the_same_value(
    script: str, cel: str | None, value: Json
) -> None:
    found = translate_expression(script)
    assert found.text is not None
    assert cel in (None, found.text)
    assert evaluate(found.text, {"data": DATA}) == Value(value)


@pytest.mark.parametrize(
    ("script", "place", "message"),
    [
        ("`a ${data.x}`", 0, "a template text cannot be translated"),
        ("data.x = 1", 7, "an assignment cannot be translated"),
        ("data.x === 1; data.y", 12, "several statements cannot be translated"),
        ("data.name || 'none'", 13, "a condition must be true or false"),
        ("data.tags.length", 10, "a condition must be true or false"),
        ("data.x & 1", 7, "bit operators cannot be translated"),
        ("data.x ** 2 === 4", 7, "** cannot be translated"),
        ("data.x++", 6, "++ cannot be translated"),
        ("x => x === 1", 2, "a function is not allowed here"),
        ("[x => 1]", 3, "a function is not allowed here"),
        ("data.items.some(isGood) === true", 11, ".some() takes a function of one parameter here"),
        ("data.items.some((a, b) => a === b)", 18, "',' is not expected here"),
        ("data.foo() === 1", 5, ".foo() has no counterpart"),
        ("foo(1) === 1", 3, "this function has no counterpart"),
        ("data.x.match(/a/) === 1", 13, "'/' is not expected here"),
        ("new Date() === 1", 0, "'new' is not expected here"),
        ("typeof data.x", 0, "typeof can only be compared"),
        ("typeof data.x === data.y", 0, "typeof can only be compared with a name of a type"),
        ("typeof data.x > 'string'", 0, "typeof can only be compared with a name of a type"),
        ("data.x === ", 11, "the expression ends too early"),
        ("data.x === 'a", 11, "a text is not closed, or of a kind that has no counterpart"),
        ("data.x === r'a'", 11, "a text is not closed, or of a kind that has no counterpart"),
        ("data.x === '\\ud83d'", 11, "a text is no valid Unicode"),
        ("data.x === if", 11, "'if' is not expected here"),
        ("data. 5 === 1", 6, "'5' is not expected here"),
        ("{5: 1} === 1", 1, "'5' is not expected here"),
        ("data.x === 1 #", 13, "'#' is not expected here"),
        ("(data.x === 1", 13, "the expression ends too early"),
        ("data.x === as", 11, "'as' is not expected here"),
        ("(" * 60 + "1", 30, "the expression is nested too deeply"),
        ("data.x === 99999999999999999999", 0, None),
        ("", 0, "the expression ends too early"),
        ("data.x === 1 " + "|| true " * 2_000, 0, "16013 characters; at most 10000 are read"),
    ],
)
def test_what_has_no_counterpart_is_told_and_left(
    script: str, place: int, message: str | None
) -> None:
    found = translate_condition(script)
    assert (found.original, found.text, found.is_changed) == (script, None, False)
    [fault] = found.faults
    assert (fault.code, fault.offset, fault.severity) == ("EXPRESSION_UNTRANSLATED", place, "error")
    assert message in (None, fault.message)


def test_what_counts_as_true_may_differ_and_is_told() -> None:
    found = translate_condition("data.active && !data.name && data.score === 1")
    assert found.text == "data.active && !data.name && data.score == 1"
    assert [(fault.code, fault.severity, fault.offset) for fault in found.faults] == [
        ("EXPRESSION_TRUTH", "warning", 5),
        ("EXPRESSION_TRUTH", "warning", 21),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "data.a == 1",
        "has(data.a) && data.b in [1]",
        "data.?a.orValue(true)",
        "data.x.contains('a')",
    ],
)
def test_what_is_cel_already_is_left_alone(text: str) -> None:
    assert translate_condition(text) == Translation(text, text)
    assert not translate_condition(text).is_changed


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("{{$json.user.name}}", "{{ data.user.name }}"),
        ("{{ $json.a }} to {{$input.main.city}}", "{{ data.a }} to {{ inputs.main.city }}"),
        ("{{$config.model}} {{$trigger.body.id}}", "{{ config.model }} {{ trigger.body.id }}"),
        ('{{$node["fetch-1"].result.rows[0].id}}', "{{ nodes['fetch-1'].result.rows[0].id }}"),
        ("{{$json.first-name}}", "{{ data['first-name'] }}"),
        ("{{$json['a b'].c}}", "{{ data['a b'].c }}"),
        (
            "{{$json.tags.includes('a') ? 'yes' : 'no'}}",
            "{{ data.tags.contains('a') ? 'yes' : 'no' }}",
        ),
        ("{{ data.a }} stays", "{{ data.a }} stays"),
        ("no placeholders", "no placeholders"),
    ],
)
def test_references_in_texts_become_ours(text: str, ours: str) -> None:
    found = translate_template(text)
    assert (found.text, found.faults) == (ours, ())
    assert found.is_changed == (text != ours)


@pytest.mark.parametrize(
    ("text", "left", "code", "place"),
    [
        ("Bearer {{$api_key}}", "Bearer {{$api_key}}", "TEMPLATE_PLACEHOLDER", 9),
        ("{{$jsonx.a}} {{$json.b}}", "{{$jsonx.a}} {{ data.b }}", "TEMPLATE_PLACEHOLDER", 2),
        ("{{ $json.a b }}", "{{ $json.a b }}", "EXPRESSION_UNTRANSLATED", 11),
        ("{{$json.a}} {{ open", "{{ data.a }} {{ open", "TEMPLATE_UNCLOSED", 12),
    ],
)
def test_holes_that_cannot_be_translated_stay_and_are_told(
    text: str, left: str, code: str, place: int
) -> None:
    found = translate_template(text)
    assert found.text == left
    [fault] = found.faults
    assert (fault.code, fault.offset, fault.severity) == (code, place, "error")


def test_values_are_translated_all_through_and_otherwise_the_same() -> None:
    still: Json = {"a": ["{{ data.x }}", 1, None]}
    value: Json = {"url": "x/{{$json.id}}", "list": [still, "{{$token}}"], "still": still}
    found, problems = translate_value(value, "/data")
    assert found == {"url": "x/{{ data.id }}", "list": [still, "{{$token}}"], "still": still}
    assert isinstance(found, dict)
    assert found["still"] is still
    assert [(p.code, p.pointer) for p in problems] == [("TEMPLATE_PLACEHOLDER", "/data/list/1")]
    assert translate_value(still) == (still, ())
    assert translate_value(still)[0] is still


_SCRIPT = st.text("datax.$[]('\")!=&|<>?:+-*/%,{} 019\n`\\", max_size=25) | st.lists(
    st.sampled_from(
        [
            *("data", ".", "x", "===", "!==", "&&", "||", "!", "(", ")", "'a'", "1", "1.5", "null"),
            *(
                "undefined",
                ".length",
                ".includes('a')",
                "typeof ",
                " ? ",
                " : ",
                "[0]",
                "?.y",
                "??",
            ),
            *(".some(i => i)", "$json.a", "Math.max(1, 2)", "+", "-", "*", "{a: 1}", "[1]", "=> "),
        ]
    ),
    max_size=8,
).map(" ".join)


@steady(600)
@given(_SCRIPT)
def test_whatever_is_translated_is_cel_and_nothing_raises(script: str) -> None:
    for found in (translate_condition(script), translate_expression(script)):
        assert found.original == script
        if found.text is None:
            assert found.faults
        else:
            assert compile_text(found.text).is_usable
    translate_mapping(script)


@steady(150)
@given(JSON)
def test_values_without_older_syntax_are_untouched(value: Json) -> None:
    assert translate_value(value)[0] is value
