"""A file examined: places and patches are those of that very file, whatever its dialect."""

import json
from typing import Any

import pytest
from tests.workflow.checks.building import known
from tests.workflow.sample_files import text_of

from toolweave.workflow.formats.load import convert, load
from toolweave.workflow.json_patch import apply_patch, value_at
from toolweave.workflow.report import examine

# A file, what is made wrong in it, and where that is told.
SLIPS = [
    ("toolweave/catalog-nodes.json", '"to": "say"', '"to": "sya"', "/connections/3/to"),
    ("ccwf/all-node-types.json", '"to": "skl"', '"to": "slk"', "/connections/7/to"),
    ("flow/seed-003.json", '"target": "node-3"', '"target": "ndoe-3"', "/edges/1/target"),
    ("flow/export.json", '"target": "t-1"', '"target": "T_1"', "/flows/0/edges/0/target"),
    ("flow/third.json", '"target": "over"', '"target": "ovre"', "/edges/2/target"),
    ("agent-team/current.json", '"to_node": "gate"', '"to_node": "gtae"', "/connections/1/to_node"),
]


@pytest.mark.parametrize(("name", "right", "wrong", "place"), SLIPS)
def test_a_patch_mends_the_file_itself(name: str, right: str, wrong: str, place: str) -> None:
    text = text_of(name)
    assert right in text
    report = examine(text.replace(right, wrong, 1), known())
    found = next(one for one in report.problems if one.pointer == place)
    assert found.severity == "error"
    # Any: the file as plain JSON.
    document: Any = json.loads(text.replace(right, wrong, 1))
    assert str(value_at(document, place)) in wrong
    mended = apply_patch(document, found.patch or ())
    assert load(json.dumps(mended)).workflow == load(text).workflow
    assert report.fixed.workflow.edges == load(text).workflow.edges


def test_a_file_that_is_no_workflow_has_nothing_to_mend() -> None:
    report = examine("[1, 2", known())
    assert not report.is_valid
    assert not report.is_workflow
    assert report.as_json()["problems"][0]["code"] == "WORKFLOW_NOT_JSON"


def test_what_a_reader_and_a_check_both_say_is_told_once() -> None:
    document = json.loads(text_of("flow/seed-003.json"))
    document["nodes"].append(document["nodes"][0])
    report = examine(json.dumps(document), known())
    told = [(one.code, one.pointer) for one in report.problems]
    assert len(told) == len(set(told))
    assert "NODE_ID_DUPLICATE" in {code for code, _ in told}


def test_an_mcp_node_has_one_output_port() -> None:
    document = json.loads(text_of("toolweave/seed-001.json"))
    at = next(at for at, one in enumerate(document["nodes"]) if one["type"] == "mcp")
    right = json.dumps(document)
    document["nodes"][at]["data"]["outputPorts"] = 3
    place = f"/nodes/{at}/data/outputPorts"
    (found,) = (
        one for one in examine(json.dumps(document), known()).problems if one.pointer == place
    )
    assert found.code == "FIELD_LIMIT_VIOLATED"
    assert apply_patch(document, found.patch or ()) == json.loads(right)
    assert place not in {one.pointer for one in examine(right, known()).problems}


def test_a_fix_writes_no_notes_of_ours_into_the_file() -> None:
    document: Any = json.loads(text_of("flow/export.json"))
    at = document["flows"][0]["nodes"][0]
    right, at["type"] = at["type"], "multi_inptu"
    report = examine(json.dumps(document), known())
    (found,) = (one for one in report.problems if one.code == "NODE_TYPE_UNKNOWN")
    assert found.patch == ({"op": "replace", "path": "/flows/0/nodes/0/type", "value": right},)
    assert "x-toolweave" not in json.dumps(convert(report.fixed.workflow, "flow"))
