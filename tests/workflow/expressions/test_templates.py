"""Texts with holes: filled once, typed when bare, and never looked at again."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady

from toolweave.cel import templates
from toolweave.cel.fault import fault_at
from toolweave.cel.language import Result, Value, evaluate
from toolweave.cel.templates import (
    Resolve,
    Template,
    check_templates,
    read_template,
    references_in,
    substitute,
)
from toolweave.json_text import Json
from toolweave.problems import Problem

DATA: dict[str, Json] = {
    "name": "Ada",
    "n": 3,
    "f": 2.5,
    "none": None,
    "yes": True,
    "list": [1, "a"],
    "object": {"b": 1, "a": None},
    "sly": "{{ data.secret }} {name} {{name}}",
    "secret": "hush",
}


def expressions(variables: Mapping[str, Json] | None = None) -> Resolve:
    given = {"data": DATA} if variables is None else variables
    return lambda text: evaluate(text, given)


def names(**values: Json) -> Resolve:
    """Names that are not there are left as they are."""

    def resolve(name: str) -> Result | None:
        return Value(values[name]) if name in values else None

    return resolve


def filled(value: Json) -> Json:
    found = substitute(value, expressions())
    assert found.problems == ()
    return found.value


@pytest.mark.parametrize("key", ["n", "f", "none", "yes", "list", "object", "name"])
def test_a_value_that_is_one_hole_becomes_the_value_itself(key: str) -> None:
    assert filled(f"{{{{ data.{key} }}}}") is DATA[key]
    assert filled(f"{{{{data.{key}}}}}") is DATA[key]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Hello {{ data.name }}!", "Hello Ada!"),
        (" {{ data.n }}", " 3"),
        ("{{ data.n }}{{ data.n }}", "33"),
        ("{{ data.list }} and {{ data.object }}", '[1,"a"] and {"b":1,"a":null}'),
        ("{{ data.none }}, {{ data.yes }}, {{ data.f }}", "null, true, 2.5"),
        ("{{ '{{' }} {{ \"}}\" }}", "{{ }}"),
        ("{{ {'a': {'b': '}}'}}.a.b }}.", "}}."),
        ("{{ {'a': 1}}}!", '{"a":1}!'),
        ("{{ data.n // }} is no end\n }}.", "3."),
        ("{{ data.n\n+ 1 }}.", "4."),
        ("no holes { here } or }} there", "no holes { here } or }} there"),
        ("{name}", "{name}"),
        ("{{ r'\\' + '''it's }} ''' }}.", "\\it's }} ."),
        ("{{ data.`n` }}.", "3."),
    ],
)
def test_holes_in_a_text_are_filled_in_place(text: str, result: str) -> None:
    assert filled(text) == result


def test_what_fills_a_hole_is_never_looked_at_again() -> None:
    assert filled("{{ data.sly }}") == DATA["sly"]
    assert filled("<{{ data.sly }}>") == f"<{DATA['sly']}>"
    assert filled("{{ '{' + '{ data.secret }' + '}' }}") == "{{ data.secret }}"
    assert filled("{{ '{' }}{ data.secret }}") == "{{ data.secret }}"
    by_name = substitute("{a}{b}", names(a="{b}", b="{a}"), style="name")
    assert by_name.value == "{b}{a}"
    by_names = substitute("{{a}}", names(a="{{a}}"), style="names")
    assert by_names.value == "{{a}}"


def test_nested_json_is_filled_and_what_does_not_change_stays_the_same() -> None:
    still: Json = {"deep": ["text", 1, None], "{{ data.n }}": "keys are left"}
    value: Json = {"a": ["{{ data.n }}", still], "b": {"c": "x{{ data.n }}"}, "d": still}
    found = filled(value)
    assert found == {"a": [3, still], "b": {"c": "x3"}, "d": still}
    assert isinstance(found, dict)
    assert found["d"] is still
    assert filled(still) is still
    assert value == {"a": ["{{ data.n }}", still], "b": {"c": "x{{ data.n }}"}, "d": still}


def test_faults_point_at_the_value_and_the_character() -> None:
    value: Json = {"a/b": ["fine", "x\n{{ data.n + }} {{ data.nmae }}"], "c": "{{ data.zz }}"}
    found = substitute(value, expressions())
    assert found.value == value
    assert found.problems == (
        Problem(
            "EXPRESSION_INVALID",
            "/a~1b/1",
            "the expression ends where a value is expected (line 2, column 12)",
        ),
        Problem(
            "EXPRESSION_FAILED",
            "/a~1b/1",
            "there is no key 'nmae' (line 2, column 23)",
            "did you mean 'name'?",
        ),
        Problem(
            "EXPRESSION_FAILED",
            "/c",
            "there is no key 'zz' (column 8)",
            "ask first with has(), or use .?",
        ),
    )


@pytest.mark.parametrize("text", ["{{ data.n", "a {{ it's }} b", "{{ {'a': 1} }", "{{ a // }}"])
def test_a_hole_that_is_never_closed_is_told_and_the_text_left(text: str) -> None:
    found = substitute(text, expressions())
    assert found.value == text
    [problem] = found.problems
    place = text.index("{{") + 1
    assert problem.code == "TEMPLATE_UNCLOSED"
    assert problem.message == f"{{{{ is never closed (column {place})"


def test_holes_before_one_that_is_never_closed_are_filled() -> None:
    found = substitute("{{ data.n }} {{ data", expressions())
    assert found.value == "3 {{ data"
    assert len(found.problems) == 1


def test_an_empty_hole_is_told() -> None:
    [problem] = substitute("{{ }}", expressions()).problems
    assert (problem.code, problem.message) == (
        "EXPRESSION_INVALID",
        "the expression is empty (column 4)",
    )


@pytest.mark.requirement("003:variables.plain-text", "003:variables.replaced-once")
def test_names_in_prompts_are_plain_replacement() -> None:
    values = names(city="Rome", node2_result="{city} data.x + 1", n=3)
    prompt = 'Go to {city}; {node2_result}; {n}; {other}; {"json": 1}; {}; { city }; a{2}'
    assert substitute(prompt, values, style="name").value == (
        'Go to Rome; {city} data.x + 1; 3; {other}; {"json": 1}; {}; { city }; a{2}'
    )


@pytest.mark.parametrize("name", ["node-2_result", "größe", "a.b", "_x", "2nd"])
def test_names_may_hold_what_ids_hold(name: str) -> None:
    assert substitute(f"{{{name}}}!", names(**{name: "v"}), style="name").value == "v!"
    assert substitute(f"{{{{ {name} }}}}", names(**{name: "v"}), style="names").value == "v"


@pytest.mark.parametrize(
    "path",
    ["data.a.b", "nodes['node-2'].output", 'nodes["a b"].x[0].y', "data.items[0]", "data[0][1]"],
)
def test_names_may_be_paths(path: str) -> None:
    asked = [hole.asked for hole in read_template(f"a {{{path}}} b", "name").holes]
    assert asked == [path]
    [hole] = read_template(f"a {{{{ {path} }}}} b", "names").holes
    assert (hole.asked, hole.at, hole.start, hole.end) == (path, 5, 2, 8 + len(path))


@pytest.mark.parametrize(
    "text", ["{2}", "a{10}", "{}", "{ a }", "{a b}", "{a[b]}", "{a['b}", "{'a': 1}", "{a:1}", "{a"]
)
def test_braces_of_other_texts_are_no_holes(text: str) -> None:
    assert read_template(text, "name") == Template(text)
    assert substitute(text, names(a="x", b="y"), style="name").value is text


def test_a_name_alone_is_a_text_too() -> None:
    assert substitute("{n}", names(n=3), style="name").value == "3"
    assert substitute("{{n}}", names(n=[1]), style="names").value == "[1]"


def test_a_missing_name_can_be_a_fault() -> None:
    def resolve(name: str) -> Result:
        return fault_at(name, 0, "MISSING_VARIABLES", f"no value for {name!r}")

    second = substitute("{{a}}\n  {{ who }}", resolve, style="names").problems[1]
    assert second.message == "no value for 'who' (line 2, column 6)"
    found = substitute("Dear {who}", resolve, style="name")
    assert found.value == "Dear {who}"
    [problem] = found.problems
    assert (problem.code, problem.message) == (
        "MISSING_VARIABLES",
        "no value for 'who' (column 7)",
    )


def test_a_value_that_cannot_be_written_into_a_text_is_told() -> None:
    found = substitute("a {{ data }} b", expressions({"data": ["\ud800"]}))
    assert found.value == "a  b"
    [problem] = found.problems
    assert problem.code == "TEMPLATE_VALUE"


def test_texts_have_a_bound_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_ROOM", 10)
    found = substitute(["<{{ data }}>", "<{{ data }}>"], expressions({"data": "123456"}))
    assert found.value == ["<123456>", "<>"]
    assert [(p.code, p.pointer) for p in found.problems] == [("TEMPLATE_VALUE", "/1")]


def test_a_value_has_a_bounded_number_of_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_HOLES", 2)
    found = substitute(["{{ data.n }}", "{{ data.n }}{{ data.n }}"], expressions())
    assert found.value == [3, "{{ data.n }}{{ data.n }}"]
    assert [(p.code, p.pointer) for p in found.problems] == [("TEMPLATE_VALUE", "/1")]


def test_templates_are_checked_before_anything_runs() -> None:
    value: Json = {"a": "{{ data.x + 'a' + 1 }}", "b": ["{{ 1 == 'a' }}", "{{ x", "{{ data.y }}"]}
    found = [(p.code, p.pointer, p.severity) for p in check_templates(value)]
    assert found == [
        ("EXPRESSION_TYPE", "/a", "error"),
        ("EXPRESSION_TYPE", "/b/0", "warning"),
        ("TEMPLATE_UNCLOSED", "/b/1", "error"),
    ]


def test_references_are_found_with_their_places() -> None:
    value: Json = {
        "q": ["no", "to {{ nodes.a.output }} {{ data.x }}"],
        "r/s": "{{ data.y }}",
        "t": 1,
    }
    found = [
        (use.pointer, use.reference.text, use.reference.offset) for use in references_in(value)
    ]
    assert found == [
        ("/q/1", "nodes.a.output", 13),
        ("/q/1", "data.x", 31),
        ("/r~1s", "data.y", 7),
    ]
    text = "to {{ nodes.a.output }} {{ data.x }}"
    assert (text[13], text[31]) == (".", ".")


def test_a_template_knows_whether_it_is_bare() -> None:
    assert read_template("{{ a }}").is_bare
    assert not read_template("{{ a }} ").is_bare
    assert not read_template("{{ a }}{{ b }}").is_bare
    assert read_template("a") == Template("a")
    assert not Template("a").is_bare


@steady(300)
@given(JSON | st.text("{}' \"a.`\\/\n", max_size=30), st.text("{}'a \\", max_size=10))
def test_no_value_and_no_text_breaks_it(value: Json, text: str) -> None:
    found = substitute([value, text], lambda _asked: Value(text))
    assert isinstance(found.value, list)
    list(check_templates([value, text]))
    references_in(value)


@steady(200)
@given(st.text(max_size=20))
def test_any_text_goes_through_a_hole_unchanged(text: str) -> None:
    given = expressions({"data": text})
    assert substitute("{{ data }}", given).value == text
    assert substitute("<{{ data }}>", given).value == f"<{text}>"
    assert substitute("<{name}>", names(name=text), style="name").value == f"<{text}>"
