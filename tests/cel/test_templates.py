"""Texts with placeholders: filled once, typed when bare, never parsed again."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady

from toolweave.cel import templates
from toolweave.cel.language import Value, evaluate
from toolweave.cel.templates import (
    Resolve,
    Template,
    read_template,
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


def filled(value: Json) -> Json:
    found = substitute(value, expressions())
    assert found.problems == ()
    return found.value


@pytest.mark.parametrize("key", ["n", "f", "none", "yes", "list", "object", "name"])
def test_a_value_that_is_one_placeholder_becomes_the_value_itself(key: str) -> None:
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
        ("no placeholders { here } or }} there", "no placeholders { here } or }} there"),
        ("{name}", "{name}"),
        ("{{ r'\\' + '''it's }} ''' }}.", "\\it's }} ."),
        ("{{ data.`n` }}.", "3."),
    ],
)
def test_placeholders_in_a_text_are_filled_in_place(text: str, result: str) -> None:
    assert filled(text) == result


def test_inserted_values_are_never_parsed_again() -> None:
    assert filled("{{ data.sly }}") == DATA["sly"]
    assert filled("<{{ data.sly }}>") == f"<{DATA['sly']}>"
    assert filled("{{ '{' + '{ data.secret }' + '}' }}") == "{{ data.secret }}"
    assert filled("{{ '{' }}{ data.secret }}") == "{{ data.secret }}"


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
def test_an_unclosed_placeholder_is_reported_and_the_text_kept(text: str) -> None:
    found = substitute(text, expressions())
    assert found.value == text
    [problem] = found.problems
    place = text.index("{{") + 1
    assert problem.code == "TEMPLATE_UNCLOSED"
    assert problem.message == f"{{{{ is not closed (column {place})"


def test_placeholders_before_an_unclosed_one_are_filled() -> None:
    found = substitute("{{ data.n }} {{ data", expressions())
    assert found.value == "3 {{ data"
    assert len(found.problems) == 1


def test_an_empty_placeholder_is_reported() -> None:
    [problem] = substitute("{{ }}", expressions()).problems
    assert (problem.code, problem.message) == (
        "EXPRESSION_INVALID",
        "the expression is empty (column 4)",
    )


def test_a_value_that_cannot_be_written_into_a_text_is_reported() -> None:
    found = substitute("a {{ data }} b", expressions({"data": ["\ud800"]}))
    assert found.value == "a  b"
    [problem] = found.problems
    assert problem.code == "TEMPLATE_VALUE"


def test_texts_have_a_bound_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_ROOM", 10)
    found = substitute(["<{{ data }}>", "<{{ data }}>"], expressions({"data": "123456"}))
    assert found.value == ["<123456>", "<>"]
    assert [(p.code, p.pointer) for p in found.problems] == [("TEMPLATE_VALUE", "/1")]


def test_a_value_has_a_bounded_number_of_placeholders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_PLACEHOLDERS", 2)
    found = substitute(["{{ data.n }}", "{{ data.n }}{{ data.n }}"], expressions())
    assert found.value == [3, "{{ data.n }}{{ data.n }}"]
    assert [(p.code, p.pointer) for p in found.problems] == [("TEMPLATE_VALUE", "/1")]


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


@steady(200)
@given(st.text(max_size=20))
def test_any_text_goes_through_a_placeholder_unchanged(text: str) -> None:
    given = expressions({"data": text})
    assert substitute("{{ data }}", given).value == text
    assert substitute("<{{ data }}>", given).value == f"<{text}>"
