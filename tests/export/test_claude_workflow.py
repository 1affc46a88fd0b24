"""The exported script of Claude Code's dynamic workflows, run by node with a stub agent."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.programs import node
from rest.drawn import drawn
from toolweave.export.convert import export
from toolweave.export.reimport import import_path
from toolweave.workflow.formats.load import read

# Claude Code takes `meta` as a literal and runs the rest as the body of an async function.
HARNESS = """
const fs = require("node:fs");
const text = fs.readFileSync(process.argv[2], "utf8");
const { args, replies } = JSON.parse(process.argv[3]);
const [first, ...rest] = text.split("\\n");
const meta = JSON.parse(first.replace("export const meta = ", "").replace(/;$/, ""));
const calls = [];
const agent = async (prompt, options) => {
  calls.push({ prompt, options });
  const reply = replies[options.label];
  if (reply === "THROW") throw new Error("no model");
  return reply === undefined ? `did ${options.label}` : reply;
};
const parallel = (thunks) => Promise.all(thunks.map((one) => one().catch(() => null)));
const body = Object.getPrototypeOf(async () => {}).constructor;
new body("agent", "parallel", "args", rest.join("\\n"))(agent, parallel, args)
  .then((result) => console.log(JSON.stringify({ meta, calls, result })))
  .catch((error) => console.log(JSON.stringify({ meta, calls, error: error.message })));
"""

pytestmark = pytest.mark.skipif(node() is None, reason="there is no node")


def ran(document: dict[str, Any], folder: Path, args: Any = None, **replies: Any) -> dict[str, Any]:
    """What the exported script gives."""
    (script, *_) = export(read(document).workflow, "claude-workflow", specs=()).files
    (folder / "script.js").write_text(script.text, encoding="utf-8")
    (folder / "harness.cjs").write_text(HARNESS, encoding="utf-8")
    program = node()
    assert program is not None
    given = json.dumps({"args": args, "replies": replies})
    done = subprocess.run(
        [program, str(folder / "harness.cjs"), str(folder / "script.js"), given],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    return json.loads(done.stdout)


def prompt(name: str, text: str = "Write.") -> dict[str, Any]:
    return {"id": name, "type": "prompt", "name": name.title(), "data": {"prompt": text}}


def deciding(kind: str = "ifElse", **data: Any) -> dict[str, Any]:
    """Start, a decision between two prompts, an end."""
    shown = drawn("choose", {"id": "pick", "type": kind, "name": "Pick", "data": data})
    shown["nodes"] += [
        {**prompt("yes"), "position": {"x": 0, "y": 0}},
        {**prompt("no"), "position": {"x": 0, "y": 0}},
    ]
    ways = [("pick", "yes", "branch-0"), ("pick", "no", "branch-1")]
    ways += [("yes", "end", "output"), ("no", "end", "output")]
    shown["connections"] = shown["connections"][:1] + [
        {"id": f"{a}-{b}", "from": a, "to": b, "fromPort": port, "toPort": "input"}
        for a, b, port in ways
    ]
    return shown


BRANCHES = [
    {"label": "Warm", "condition": "it is warm"},
    {"label": "Cold", "condition": "it is cold"},
]


def test_steps_run_in_order_and_get_what_those_before_gave(tmp_path: Path) -> None:
    hostile = 'Say "hi" `${evil}` \n*/ </script> \u2028 {{who}}'
    found = ran(drawn("talk", prompt("draft", hostile), prompt("check")), tmp_path, {"who": "Ada"})
    assert found["meta"]["name"] == "talk"
    assert [one["title"] for one in found["meta"]["phases"]] == ["Draft", "Check"]
    first, second = found["calls"]
    assert "`${evil}`" in first["prompt"]
    assert '{"who":"Ada"}' in first["prompt"]
    assert '{"Draft":"did Draft"}' in second["prompt"]
    assert found["result"] == "did Check"


def test_a_decision_is_made_by_schema_and_only_its_way_is_taken(tmp_path: Path) -> None:
    document = deciding(branches=BRANCHES, evaluationTarget="the weather")
    found = ran(document, tmp_path, Pick={"choice": "Cold"})
    decided, after = found["calls"]
    assert decided["options"]["schema"]["properties"]["choice"]["enum"] == ["Warm", "Cold"]
    assert "it is cold" in decided["prompt"]
    assert after["options"]["label"] == "No"
    assert found["result"] == "did No"


def test_a_question_is_returned_and_answered_by_the_next_run(tmp_path: Path) -> None:
    options = [{"label": "Left", "description": ""}, {"label": "Right", "description": ""}]
    document = deciding("askUserQuestion", questionText="Which way?", options=options)
    asked = ran(document, tmp_path)
    assert asked["calls"] == []
    assert asked["result"]["status"] == "needs_answer"
    assert (asked["result"]["question"], asked["result"]["step"]) == ("Which way?", "pick")
    assert asked["result"]["options"] == ["Left", "Right"]
    assert ran(document, tmp_path, {"answers": {"pick": "Left"}})["result"] == "did Yes"
    wrong = ran(document, tmp_path, {"answers": {"pick": "Up"}})
    assert wrong["result"]["status"] == "needs_answer"


def test_branches_run_together_and_a_failed_step_stops_the_script(tmp_path: Path) -> None:
    document = deciding()
    for edge in document["connections"]:
        edge["fromPort"] = "output"
    document["nodes"][1] = {**prompt("pick"), "position": {"x": 0, "y": 0}}
    found = ran(document, tmp_path)
    assert [one["options"]["label"] for one in found["calls"]] == ["Pick", "Yes", "No"]
    assert found["result"] == ["did Yes", "did No"]
    for reply in ("THROW", None):
        failed = ran(document, tmp_path, Yes=reply)
        assert "'result'" not in failed
        assert failed["error"].startswith('Step "Yes" failed')


def test_the_script_is_imported_again(tmp_path: Path) -> None:
    document = drawn("talk", prompt("draft"))
    (script, *_) = export(read(document).workflow, "claude-workflow", specs=()).files
    path = tmp_path / script.path
    path.parent.mkdir(parents=True)
    path.write_text(script.text, encoding="utf-8")
    found = import_path(tmp_path)
    assert found.path == path
    assert [one.id for one in found.loaded.workflow.nodes] == ["start", "draft", "end"]
    assert found.loaded.problems == ()
