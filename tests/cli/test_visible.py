"""Text from outside never acts on a terminal."""

import ast
import json
import logging
from pathlib import Path

import pytest

from toolweave.cli import sanitize
from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import plain_table
from toolweave.rest.log import JsonLines

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


ESCAPES = {"visible", "json_text", "printable"}
# What is printed without: our own words, what this user typed, and what goes into a pipe.
AS_IT_IS = {
    ("backtest.py", "f'\\r\\x1b[K{number} of {total} runs'"),
    ("completion.py", "found(ctx.find_root().command, {}, 'toolweave', VARIABLE).source()"),
    ("keys.py", "text"),
    ("lazy.py", "ctx.get_help()"),
    ("prompts.py", "prompt"),
    ("record_traffic.py", "f'Recorded {recorder.calls} calls as {str(recorder.path)!r}.'"),
    ("record_traffic.py", "f'listening on {url}'"),
    ("results.py", "sound"),
    ("service.py", "file.text"),
    ("service.py", "f'{file.path}\\n\\n{file.text}'"),
    ("studio_connection.py", "*"),
    ("demo.py", "*"),
    ("terminal.py", "*"),
    ("validate.py", "shown"),
}


def is_escaped(text: ast.expr) -> bool:
    match text:
        case ast.Constant():
            return True
        case ast.JoinedStr():
            parts = [one for one in text.values if isinstance(one, ast.FormattedValue)]
            return all(one.conversion == ord("r") or is_escaped(one.value) for one in parts)
        case ast.Call(func=ast.Name(name)):
            return name in ESCAPES
        case ast.IfExp():
            return is_escaped(text.body) and is_escaped(text.orelse)
        case _:
            return False


def test_commands_print_text_of_others_only_escaped() -> None:
    found: list[tuple[str, str]] = []
    calls = 0
    for file in sorted(Path(sanitize.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_echo = isinstance(node, ast.Call) and ast.unparse(node.func) == "click.echo"
            if not is_echo or not isinstance(node, ast.Call) or not node.args:
                continue
            calls += 1
            known = (file.name, ast.unparse(node.args[0])), (file.name, "*")
            if not is_escaped(node.args[0]) and not AS_IT_IS.intersection(known):
                found.append(known[0])
    assert found == []
    assert calls > 20
    text = ast.parse("text", mode="eval").body
    assert not is_escaped(text)  # the positive control


def test_a_line_of_the_log_does_not_act_on_a_terminal() -> None:
    record = logging.makeLogRecord({"msg": "request", "path": HOSTILE.removesuffix("\ud800")})
    line = JsonLines().format(record)
    assert visible(line) == line
    assert json.loads(line)["path"] == HOSTILE.removesuffix("\ud800")
