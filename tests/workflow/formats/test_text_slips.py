r"""Slips in the text of a file: repeated keys, single backslashes, calculated numbers."""

import json

import pytest

from toolweave.json_text import Json
from toolweave.workflow.formats.load import load

_NODE = {"id": "a", "type": "start", "name": "a", "data": {"x": "VALUE"}}
TEXT = json.dumps({"id": "w", "name": "it", "nodes": [_NODE], "connections": []})


def _value_of(written: str) -> Json:
    loaded = load(TEXT.replace('"VALUE"', written).encode())
    codes = {one.code for one in loaded.problems}
    assert "WORKFLOW_TEXT_CORRECTED" in codes
    return loaded.workflow.nodes[0].data["x"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7 * 24 * 3600", 604800),
        ("60*60", 3600),
        ("86,400", 86_400),
        ("1,250,000", 1_250_000),
        (r'"^(a|b)\s*$"', r"^(a|b)\s*$"),
        (r'"\d+\.\d+"', r"\d+\.\d+"),
        (r'"say \"\w\""', r'say "\w"'),
        ('1, "x": 1', 1),
    ],
)
def test_a_slip_with_one_meaning_is_read(written: str, value: Json) -> None:
    assert _value_of(written) == value


@pytest.mark.parametrize(
    "written",
    [
        "7 * x",
        "7 / 2",
        "10 - 5",
        r'"\bword\s"',  # a word boundary or a backspace
        r'"C:\data\new"',  # a folder or a line break
        r'"a\.b"',  # an escape of a pattern or of Markdown
        '1, "x": 2',
        '1, "x": true',
        "1" + ",000" * 6,  # more digits than a number here may have
        "1" + ",000" * 1500,
    ],
)
def test_a_slip_with_two_meanings_is_refused(written: str) -> None:
    loaded = load(TEXT.replace('"VALUE"', written).encode())
    assert "WORKFLOW_NOT_JSON" in {one.code for one in loaded.problems}
    assert not any(one.patch for one in loaded.problems)
