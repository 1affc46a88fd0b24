"""How a model at work looks on the terminal: its calls as they happen, and what they cost."""

import pytest

from toolweave.cli.run_display import Display
from toolweave.cli.run_parts import part_lines, usage_line
from toolweave.cli.run_report import as_line
from toolweave.engine.events import Event, StepStarted, StepWaiting
from toolweave.engine.journal import JournalEntry
from toolweave.json_text import Json

ANSWER: Json = {
    "kind": "model",
    "model": "m-1",
    "message": {"wanted": [{"name": "order", "arguments": {"id": 1}}]},
    "usage": {"input_tokens": 10, "output_tokens": 5},
}
CALL: Json = {"kind": "tool", "name": "order", "text": "done\nall", "is_error": False}


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        (ANSWER, ['▸ order {"id":1}']),
        ({"kind": "model", "model": "m-1", "message": {"wanted": []}}, ["m-1 answers"]),
        ({"kind": "tool", "name": "order", "text": "no", "is_error": True}, ["✗ order: no"]),
        (
            {"kind": "pause", "code": "MODEL_LIMITED", "message": "wait"},
            ["↻ wait  [MODEL_LIMITED]"],
        ),
        ({"kind": "other"}, []),
        ("text", []),
    ],
)
def test_a_part_is_told_in_a_line(part: Json, lines: list[str]) -> None:
    assert list(part_lines(part)) == lines


def test_tokens_and_cost_are_told() -> None:
    usage: dict[str, Json] = {"input_tokens": 30, "output_tokens": 15, "cached_tokens": 4}
    assert usage_line(usage) == "30 tokens in, 15 out, 4 cached"
    assert usage_line({**usage, "cost_usd": 0.00321}).endswith("0.0032 USD")


def test_that_each_part_begins_is_no_news(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display(as_json=False)
    happened: list[Event] = [
        StepStarted("n"),
        StepWaiting("n", "2026-01-01T00:00:00.000Z", None, ANSWER, "once", True),
        StepStarted("n"),
        StepWaiting("n", "2026-01-01T00:00:00.000Z", None, CALL, "keyed", True),
        StepStarted("n"),
    ]
    for seq, event in enumerate(happened):
        display.show(as_line(JournalEntry(seq, "2026-01-01T00:00:00.000Z", event)))
    told = [line.strip() for line in capsys.readouterr().err.splitlines()]
    assert len(told) == 3
    assert told[0] == "▸ n"
    assert told[1] == 'n ▸ order {"id":1}'
    assert told[2].startswith("n ✓ order: done")
