"""A text that is nearly JSON is read if it can mean one thing, and refused otherwise."""

import json
import re

import pytest

from toolweave.json_text import Json
from toolweave.workflow.formats.load import load

DOCUMENT: Json = {
    "id": "w",
    "name": "it",
    "nodes": [{"id": "a", "type": "start", "name": "a", "data": {"x": True}}],
    "connections": [],
}
TEXT = json.dumps(DOCUMENT)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"Here it is:\n\n```\n{TEXT}\n```\nAsk me for changes.",
        f"```json\n{TEXT}",
        f"Sure, this is the workflow:\n{TEXT}\nIt does nothing.",
        f"export const flow = {TEXT};",
        TEXT.replace('"nodes": [', '"nodes": [ // all of them\n'),
        TEXT.replace('"nodes"', "# the steps\n/* all */ 'nodes'"),
        TEXT.replace("}]", "},]").replace("[]}", "[],}"),
        TEXT.replace('"', "'"),
        re.sub(r'"([^"]*)"', r"“\1”", TEXT),
        TEXT.replace('"name"', "name").replace('"id"', "id"),
        TEXT.replace("true", "True"),
        TEXT.replace('"it", ', '"it" '),
        TEXT[:-1],
        TEXT.replace('"', "&quot;"),
        TEXT.replace(": ", ":\u00a0"),
        json.dumps(TEXT),
        f"[{TEXT}]",
        json.dumps({"content": TEXT}),
        "\n".join(
            f"{at}| {line}" for at, line in enumerate(json.dumps(DOCUMENT, indent=1).split("\n"))
        ),
        TEXT.replace('"name": ', '"name" = '),
        TEXT.replace('": ', '" => '),
        TEXT.replace('"it"', "`it`"),
        TEXT + "}",
        TEXT + "]}",
    ],
)
def test_a_text_with_one_meaning_is_read_with_a_clean_copy(text: str) -> None:
    loaded = load(text)
    (problem,) = [one for one in loaded.problems if one.code == "WORKFLOW_TEXT_CORRECTED"]
    assert problem.severity == "warning"
    assert problem.patch == ({"op": "replace", "path": "", "value": DOCUMENT},)
    assert [node.id for node in loaded.workflow.nodes] == ["a"]


def test_plain_json_has_no_warning() -> None:
    assert "WORKFLOW_TEXT_CORRECTED" not in {problem.code for problem in load(TEXT).problems}


@pytest.mark.parametrize(
    "text",
    [
        f"{TEXT}\n{TEXT}",
        f"```\n{TEXT}\n```\n```\n{TEXT}\n```",
        f"workflow:\n\tnodes:\n\t\t- {TEXT}",
        TEXT.replace('"name": "it"', "'name': 'it', 'name': 'other'"),
        TEXT.replace("[]", "[...]"),
        TEXT.replace("true", "NaN"),
        TEXT.replace("true", "1e999").replace('"', "'"),
        # A pattern that is tried at each of these lines must not read on to the last one.
        "a" + "\n" * 150_000 + "b: c" + TEXT,
        "a" + " \n" * 70_000 + "b: c" + TEXT,
        TEXT.replace("true", "undefined"),
        TEXT.replace('"it"', '"i "t" t"'),
        TEXT.replace('"', "'").replace("'it'", "'it's'"),
        TEXT[:-2],
        TEXT[:60],
        TEXT.replace("true", "'\\ud800\\u0041'"),
        TEXT.replace("true", "[" * 200 + "'x'" + "]" * 200),
    ],
)
def test_a_text_with_several_meanings_is_refused(text: str) -> None:
    loaded = load(text)
    assert [problem.code for problem in loaded.problems] == ["WORKFLOW_NOT_JSON"]
    assert loaded.workflow.nodes == ()
