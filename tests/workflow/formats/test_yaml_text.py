"""YAML as strict as our JSON."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.workflow.yaml_text import MAX_BYTES, read_yaml


def _read(text: str) -> Json:
    return read_yaml(text.encode(), max_depth=20)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", {"a": 1}),
        ("a: -1.5e3", {"a": -1500.0}),
        ("a: true\nb: False", {"a": True, "b": False}),
        ("a: null\nb: ~\nc:", {"a": None, "b": None, "c": None}),
        (
            "a: on\nb: yes\nc: 0644\nd: 0x1F\ne: .nan",
            {"a": "on", "b": "yes", "c": "0644", "d": "0x1F", "e": ".nan"},
        ),
        ("a: 2026-01-01\nb: 12:30:45", {"a": "2026-01-01", "b": "12:30:45"}),
        ("a: 99999999999999999999", {"a": "99999999999999999999"}),
        ("a: 1e999", {"a": "1e999"}),
        ("a: '1'\nb: \"true\"", {"a": "1", "b": "true"}),
        ("1: a\ntrue: b\n~: c", {"1": "a", "true": "b", "~": "c"}),
        ("- [1, {a: b}]\n- |\n  two\n  lines\n", [[1, {"a": "b"}], "two\nlines\n"]),
        ("a: {}\nb: []", {"a": {}, "b": []}),
        ("", None),
        ("%YAML 1.1\n---\na: 1\n...\n", {"a": 1}),
    ],
)
def test_plain_yaml_is_read_as_jsons_types(text: str, value: Json) -> None:
    assert _read(text) == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: &x 1\nb: *x", "/a"),
        ("b:\n  - *x", "/b"),
        ("a: !!str 1", "/a"),
        ("a: !custom {b: 1}", "/a"),
        ("a:\n  b: 1\n  b: 2", "/a/b"),
        ("a: 1\n---\nb: 2", ""),
        ("? [a, b]\n: 1", ""),
        ("x:\n  - y: [1, {z: 1, z: 2}]", "/x/0/y/1/z"),
    ],
)
def test_what_other_readers_expand_or_guess_is_refused_with_its_place(
    text: str, place: str
) -> None:
    with pytest.raises(Invalid) as caught:
        _read(text)
    assert caught.value.code == "YAML_INVALID"
    assert caught.value.facts["pointer"] == place
    assert caught.value.facts["line"] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "- " * 100_000,
        "{a: " * 60_000,
        "? " * 100_000,
        "a: " + "b" * (MAX_BYTES + 1),
        "a: [1",
        "a: \x01",
        "\t- a",
    ],
)
def test_hostile_yaml_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        _read(text)
    assert caught.value.code == "YAML_INVALID"


def test_text_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        read_yaml(b"a: \xff", max_depth=20)
    assert caught.value.code == "YAML_INVALID"


@steady(200)
@given(st.text(alphabet="ab:-[]{},&*!|>'\"#%? \n\t1~", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Invalid):  # nothing else may come out of it
        value = _read(text)
        assert value is None or isinstance(value, bool | int | float | str | list | dict)
