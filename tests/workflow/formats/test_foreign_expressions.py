"""Expressions of other languages become CEL where they have exactly one equivalent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.cel.language import Value, compile_text, evaluate
from toolweave.json_text import JsonObject
from toolweave.workflow.formats.foreign.translation import translate_foreign
from toolweave.workflow.shapes import of_schema

NAMES = frozenset({"data", "trigger", "load"})
TOKENS = (
    *("data", "load", "x", "$json", "$", "$node", "$('load')", "steps", "nodes", "item", "json"),
    *(
        "output",
        "length",
        "first",
        "get",
        "len",
        "any",
        "default",
        "join",
        "map",
        "i",
        "not",
        "and",
    ),
    *("or", "if", "else", "for", "in", "is", "None", "return", "f", "0", "-1", "1.5", "'a'", '"b"'),
    *("`c ${data.d}`", ".", "..", "?.", "??", "(", ")", "[", "]", "{", "}", "{{", "}}", "|", "||"),
    *("&&", "=", "==", "===", "!=", "<", ">=", "+", "-", "*", "/", "%", "!", "?", ":", ",", "=>"),
    *("${", "#", ";", "\\", "'", "‘", "é"),  # noqa: RUF001 # a smart quote
)


@pytest.mark.parametrize(
    ("text", "cel"),
    [
        ("data.code = 0", "data.code == 0"),
        ("data.code === 0 && data.name !== 'x'", "data.code == 0 && data.name != 'x'"),
        ("data.a == 'CH' and not data.b or data.c", "data.a == 'CH' && !data.b || data.c"),
        ("not data.a == 1", "!(data.a == 1)"),
        ("data.status <> 'ready'", "data.status != 'ready'"),
        ("data.status IS NOT 'ready'", "data.status != 'ready'"),
        ("data.price between 5.0 and 10.0", "data.price >= 5.0 && data.price <= 10.0"),
        ("0.0 < data.price < 10.0", "0.0 < data.price && data.price < 10.0"),
        ("data.a * 2 if data.a > 0 else 0", "data.a > 0 ? data.a * 2 : 0"),
        ("data.x is defined", "has(data.x)"),
        ("'x' not in data.tags", "!('x' in data.tags)"),
        ("['AT', 'DE'].includes(data.country)", "data.country in ['AT', 'DE']"),
        ("data.name.includes('x')", "data.name.contains('x')"),
        ("len(data.items) == 0", "size(data.items) == 0"),
        ("data.items.length > 0", "size(data.items) > 0"),
        ("data.items[-1].name", "data.items[size(data.items) - 1].name"),
        ("data.mail.ends_with('@x.org')", "data.mail.endsWith('@x.org')"),
        ("endsWith(data.mail, '@x.org')", "data.mail.endsWith('@x.org')"),
        ("data.name.toUpperCase() === 'CH'", "data.name.upperAscii() == 'CH'"),
        # CEL has no function for other letters than those of ASCII.
        ("data.name.toUpperCase() + '!'", "data.name.upperAscii() + '!'"),
        ("upper(data.name)", "data.name.upperAscii()"),
        ("data.name | upper", "data.name.upperAscii()"),
        ("data.rows | map(attribute='id') | list", "data.rows.map(item, item.id)"),
        ("data.items.some(i => i.price > 0)", "data.items.exists(i, i.price > 0)"),
        ("[i.a for i in data.b if i.a > 1]", "data.b.filter(i, i.a > 1).map(i, i.a)"),
        ("any(i.price > 0 for i in data.items)", "data.items.exists(i, i.price > 0)"),
        ("data.name | trim | length", "size(data.name.trim())"),
        ("data.rows | map(attribute='x') | join(', ')", "data.rows.map(item, item.x).join(', ')"),
        ("data.city | default('Berlin')", "data.?city.orValue('Berlin')"),
        (
            "data.city ?? 'Berlin'",
            "data.?city.orValue(null) != null ? data.city : 'Berlin'",
        ),
        ("data?.body?.amount", "data.?body.?amount.orValue(null)"),
        ("data?.country == 'CH'", "data.country == 'CH'"),
        ("data.get('x', 1)", "data.?x.orValue(1)"),
        ("`Hi ${data.name}!`", "'Hi ' + string(data.name) + '!'"),
        ("f'Hi {data.name}'", "'Hi ' + string(data.name)"),
        ("data.country == ‘CH’", "data.country == 'CH'"),  # noqa: RUF001 # smart quotes
        ("data.a × data.b ≤ 5", "data.a * data.b <= 5"),  # noqa: RUF001 # signs of mathematics
        ("data.a &lt; 5 &amp;&amp; data.b", "data.a < 5 && data.b"),
        ("return data.code == 0;", "data.code == 0"),
        ("data.code == 0  # worked", "data.code == 0"),
        ("{{ data.code }} == 0", "data.code == 0"),
        ("data.mail.endsWith('@x.org)", "data.mail.endsWith('@x.org')"),
        ("data.a == 1 && has(data.b", "data.a == 1 && has(data.b)"),
        ("$json['city']", "data.city"),
        ("$input.item.json.city", "data.city"),
        ("$('Load orders').first().json.rows", "nodes['Load orders'].output.rows"),
        ('$node["load"].json.rows', "nodes.load.output.rows"),
        ("triggerBody()?['city']", "trigger.city"),
        ("$.load.rows[0]", "load.rows[0]"),
        ("$.city", "data.city"),
        ("data.a eq true or data.n gt 10.0", "data.a == true || data.n > 10.0"),
        ("data.a -eq 1 -and data.b -notmatch '^x'", "data.a == 1 && !data.b.matches('^x')"),
        ("data.n is greater than or equal to 5", "data.n >= 5"),
        ("data.s starts with 'a'", "data.s.startsWith('a')"),
        ("data.s does not contain 'x'", "!data.s.contains('x')"),
        ("data.s =~ /^pro/i", "data.s.matches('(?i)^pro')"),
        ("/^a/.test(data.s)", "data.s.matches('^a')"),
        ("data.s IN ('a', 'b')", "data.s in ['a', 'b']"),
        ("if(data.n > 1, data.a * 2, data.a)", "data.n > 1 ? data.a * 2 : data.a"),
        ("IF data.n > 1 THEN 'a' ELSE 'b'", "data.n > 1 ? 'a' : 'b'"),
        ("CASE WHEN data.n = 1 THEN 'a' ELSE 'b' END", "data.n == 1 ? 'a' : 'b'"),
        ("AND(data.n > 1, data.b, data.c)", "data.n > 1 && data.b && data.c"),
        ("CONCAT(data.a, '-', data.b)", "string(data.a) + '-' + string(data.b)"),
        ("data.a & '-' & data.b", "string(data.a) + '-' + string(data.b)"),
        ("IFNULL(data.a, 'x')", "data.?a.orValue(null) != null ? data.a : 'x'"),
        ("'%s of %d' % (data.a, data.b)", "string(data.a) + ' of ' + string(int(data.b))"),
        ("format('{0}!', data.a)", "string(data.a) + '!'"),
        ("'Hi {}'.format(data.a)", "'Hi ' + string(data.a)"),
        ("States.Format('Hi {}', $.a)", "'Hi ' + string(data.a)"),
        ("data.n > $100", "data.n > 100"),
        ("data.n > 1_000 EUR", "data.n > 1000"),
        ("data.items.0.name", "data.items[0].name"),
        ("data.items[*].name", "data.items.map(i, i.name)"),
        ("ti.xcom_pull(task_ids='load', key='rows')", "nodes.load.output.rows"),
        ("$$.Execution.Input.city", "trigger.city"),
    ],
)
def test_a_foreign_expression_has_one_equivalent(text: str, cel: str) -> None:
    found = translate_foreign(text, NAMES)
    assert found is not None
    assert found.cel == cel


@pytest.mark.parametrize(
    "text",
    [
        "data.city || 'Berlin'",  # JavaScript takes it for an empty text too
        "data.total > 1.000,0",
        "sumBy(data, 'sum')",
        "data.code ==",
        "$now.toISO()",
        "$input.all()",
        "data.n // 2",  # a division in Python, a default in jq, a comment in JavaScript
        "'%.2f' % data.n",
        "'%s %s' % data.n",
        "'{name}'.format(name=data.n)",
        "ti.xcom_pull(['load', 'other'])",
        "137405211__city",
        "data.x | capitalize",
        "round(data.price)",  # Python rounds a half to the even number
        "data.price.toFixed(2)",  # JavaScript rounds a half away from zero
        "data.code == 'a' || 'b'",
        "data.name.strip() extra",
        "data.items?.length",
        "data.name.replace(/a/, 'b')",
        "the amount is large",
        "if (data.a) { return 1; }",
        "data.a; data.b",
    ],
)
def test_without_one_equivalent_nothing_is_written(text: str) -> None:
    assert translate_foreign(text, NAMES) is None


@pytest.mark.parametrize(
    ("text", "kind", "cel"),
    [
        ("data.x ?? 'a'", "string", "data.?x.orValue('a')"),
        ("data.x || 'a'", "string", "data.?x.orValue('') != '' ? data.x : 'a'"),
        ("!data.x ? 1 : 2", "integer", "!(data.?x.orValue(0) != 0) ? 1 : 2"),
        ("data.x / 2 === 1", "integer", "double(data.x) / 2.0 == 1"),
        ("data.x.length", "array", "size(data.x)"),
        ("data.x.slice(0, 2)", "string", "data.x.substring(0, math.least(2, size(data.x)))"),
        ("data.x.toFixed(2)", "integer", "'%.2f'.format([data.x])"),
        (
            "len(data.x) and data.x[-1]",
            "array",
            "size(data.x) != 0 ? data.x[size(data.x) - 1] : size(data.x)",
        ),
        ("data.x == '3' and True", "integer", None),
        ("data.x.slice(0, 2)", "array", None),
        ("f'{data.x}'", "boolean", "(data.x ? 'True' : 'False')"),
    ],
)
def test_the_type_of_a_value_decides_how_it_is_written(
    text: str, kind: str, cel: str | None
) -> None:
    shape = of_schema({"type": "object", "properties": {"x": {"type": kind}}})
    found = translate_foreign(text, NAMES, shape_of=lambda _: shape)
    assert (found and found.cel) == cel


@pytest.mark.parametrize(
    ("text", "cel"),
    [
        ("data.name", "data.name"),
        ("data.tags.length && data.ok", "size(data.tags) != 0 && data.ok"),
        ("data.x ?? 'a'", None),
    ],
)
def test_a_condition_is_what_counts_as_true(text: str, cel: str | None) -> None:
    found = translate_foreign(text, NAMES, is_decided=True)
    expected = None if cel in {None, text} else cel
    if cel is None:
        assert found is not None
        assert " in [null, '', 0, false]" in found.cel
    else:
        assert (found and found.cel) == expected


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("data.a - (data.b - 1) == 2 and not data.c", {"a": 3, "b": 2, "c": False}, True),
        ("not (data.a or data.c)", {"a": False, "c": False}, True),
        ("(data.a if data.c else data.b) + 1", {"a": 1, "b": 5, "c": False}, 6),
        ("f'{data.a + data.b} in all'", {"a": 1, "b": 2}, "3 in all"),
        ("[x for x in data.list if x > 1][-1]", {"list": [1, 2, 3]}, 3),
        ("'b' in ['a', 'b'] and 'x' not in 'abc'", {}, True),
    ],
)
def test_the_equivalent_gives_the_same_value(text: str, data: JsonObject, value: object) -> None:
    found = translate_foreign(text, NAMES)
    assert found is not None
    assert evaluate(found.cel, {"data": data}) == Value(value)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "cel"),
    [
        ("item.n *= 2", "item.n * 2"),
        ("item.n += data.a + 1", "item.n + (data.a + 1)"),
        ("item.n = item.n * 2;", "item.n * 2"),
        ("n++", "n + 1"),
        ("item.other = 1", None),  # a comparison, or another field
        ("a = 1 and b = 2", "a == 1 && b == 2"),
    ],
)
def test_an_assignment_to_the_field_is_its_value(text: str, cel: str | None) -> None:
    found = translate_foreign(text, NAMES, target="n", is_condition=False)
    assert (found and found.cel) == cel


@given(st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(["", " "])), max_size=14))
def test_any_text_is_translated_to_cel_or_not_at_all(parts: list[tuple[str, str]]) -> None:
    text = "".join(token + space for token, space in parts)
    for in_template in (False, True):
        found = translate_foreign(text, NAMES, in_template=in_template)
        assert found is None or compile_text(found.cel).is_usable, text
