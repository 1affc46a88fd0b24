"""Comments and trailing commas are taken away without moving anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.servers.discovery.lenient_json import has_excessive_key, strip_comments


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("// c\n[1, 2, /* two */ ]", [1, 2]),
        ('{"a": 1, // last\r\n}', {"a": 1}),
        ('["// no", "/* no */", ",]"]', ["// no", "/* no */", ",]"]),
        (r'["\"// no", "\\" ,]', ['"// no', "\\"]),
        ('{"url": "http://a.test//x"}', {"url": "http://a.test//x"}),
        ("[1 /* a\n * b\n **/ , ]", [1]),
        ("[1]/* open", [1]),
    ],
)
def test_what_is_left_is_json(text: str, value: object) -> None:
    assert json.loads(strip_comments(text)) == value


@pytest.mark.parametrize("text", ["[1,,]", "[1 2]", '{"a" 1}', '["open]', "[1] / 2"])
def test_what_is_wrong_stays_wrong(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(strip_comments(text))


@given(st.recursive(st.text(), st.lists).map(json.dumps))
def test_plain_json_is_unchanged(text: str) -> None:
    assert strip_comments(text) == text


@given(st.text(alphabet='/*",]\\ \n{}a'))
def test_lines_and_columns_stay_where_they_are(text: str) -> None:
    plain = strip_comments(text)
    assert [len(line) for line in plain.split("\n")] == [len(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 500_000, "/*" * 500_000, "," * 1_000_000, '"""' * 300_000, "'" * 999_999]
)
def test_text_that_never_closes_is_read_once(text: str) -> None:
    # Quadratic work over a million characters would run into the test's time limit.
    assert len(strip_comments(text)) == len(text)
    assert not has_excessive_key(text)
