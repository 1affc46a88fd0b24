"""Prompts: names filled once, always as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady

from toolweave.cel.fault import fault_at
from toolweave.cel.language import Result, Value
from toolweave.cel.templates import Resolve, Template
from toolweave.json_text import Json
from toolweave.workflow.prompt_templates import fill_prompt, read_prompt


def names(**values: Json) -> Resolve:
    """Names that are not there are left as they are."""

    def resolve(name: str) -> Result | None:
        return Value(values[name]) if name in values else None

    return resolve


def test_names_in_prompts_are_plain_replacement() -> None:
    values = names(city="Rome", node2_result="{city} data.x + 1", n=3)
    prompt = 'Go to {city}; {node2_result}; {n}; {other}; {"json": 1}; {}; { city }; a{2}'
    assert fill_prompt(prompt, values, "single").value == (
        'Go to Rome; {city} data.x + 1; 3; {other}; {"json": 1}; {}; { city }; a{2}'
    )


@pytest.mark.parametrize("name", ["node-2_result", "größe", "a.b", "_x", "2nd"])
def test_names_may_hold_what_ids_hold(name: str) -> None:
    assert fill_prompt(f"{{{name}}}!", names(**{name: "v"}), "single").value == "v!"
    assert fill_prompt(f"{{{{ {name} }}}}", names(**{name: "v"}), "double").value == "v"


@pytest.mark.parametrize(
    "path",
    ["data.a.b", "nodes['node-2'].output", 'nodes["a b"].x[0].y', "data.items[0]", "data[0][1]"],
)
def test_names_may_be_paths(path: str) -> None:
    asked = [
        placeholder.content for placeholder in read_prompt(f"a {{{path}}} b", "single").placeholders
    ]
    assert asked == [path]
    [placeholder] = read_prompt(f"a {{{{ {path} }}}} b", "double").placeholders
    assert (placeholder.content, placeholder.at, placeholder.start, placeholder.end) == (
        path,
        5,
        2,
        8 + len(path),
    )


@pytest.mark.parametrize(
    "text", ["{2}", "a{10}", "{}", "{ a }", "{a b}", "{a[b]}", "{a['b}", "{'a': 1}", "{a:1}", "{a"]
)
def test_braces_of_other_texts_are_no_placeholders(text: str) -> None:
    assert read_prompt(text, "single") == Template(text)
    assert fill_prompt(text, names(a="x", b="y"), "single").value is text


def test_a_name_alone_is_a_text_too() -> None:
    assert fill_prompt("{n}", names(n=3), "single").value == "3"
    assert fill_prompt("{{n}}", names(n=[1]), "double").value == "[1]"


def test_a_missing_name_can_be_a_fault() -> None:
    def resolve(name: str) -> Result:
        return fault_at(name, 0, "MISSING_VARIABLES", f"no value for {name!r}")

    second = fill_prompt("{{a}}\n  {{ who }}", resolve, "double").problems[1]
    assert second.message == "no value for 'who' (line 2, column 6)"
    found = fill_prompt("Dear {who}", resolve, "single")
    assert found.value == "Dear {who}"
    [problem] = found.problems
    assert (problem.code, problem.message) == (
        "MISSING_VARIABLES",
        "no value for 'who' (column 7)",
    )


def test_inserted_values_are_never_parsed_again() -> None:
    assert fill_prompt("{a}{b}", names(a="{b}", b="{a}"), "single").value == "{b}{a}"
    assert fill_prompt("{{a}}", names(a="{{a}}"), "double").value == "{{a}}"


@steady(200)
@given(st.text(max_size=20))
def test_any_text_is_inserted_unchanged(text: str) -> None:
    assert fill_prompt("<{name}>", names(name=text), "single").value == f"<{text}>"
