"""Text from outside never acts on a terminal."""

import json

import pytest

from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import plain_table

HOSTILE = "\x1b[31m\x07\x7f\x9b\u202e\u200b\u2028\U000e0041\ud800"


def test_control_and_direction_characters_are_spelt_out() -> None:
    assert visible(HOSTILE) == (
        "<U+001B>[31m<U+0007><U+007F><U+009B><U+202E><U+200B><U+2028><U+E0041><U+D800>"
    )


@pytest.mark.parametrize("text", ["plain", "tab\there", "two\nlines", "Zoë 日本語 🎯", "a\u00a0b"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_a_name_cannot_break_the_line() -> None:
    assert visible("a\nb\tc", one_line=True) == "a<U+000A>b<U+0009>c"


def test_json_escapes_the_same_characters_and_means_the_same() -> None:
    value = {"text": HOSTILE.removesuffix("\ud800") + "\n日本"}
    text = json_text(value)
    assert json.loads(text) == value
    assert visible(text) == text
    assert "日本" in text


def test_a_table_in_a_pipe_has_a_line_for_each_row_and_no_blanks_at_its_end() -> None:
    rows = [("サーバー", None, "two\nlines"), ("x", "\x1b[2J", "")]
    assert plain_table(("name", "b", "c"), rows) == [
        "name      b            c",
        "サーバー  -            two lines",
        "x         <U+001B>[2J",
    ]
