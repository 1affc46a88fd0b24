"""Spans of a run and of each of its nodes, as a real OpenTelemetry SDK exports them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def test_a_run_and_each_of_its_nodes_are_spans_with_their_outcome(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.traced", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    spans: dict[str, dict[str, Any]] = {span["name"]: span for span in told["spans"]}
    assert sorted(spans) == ["run test", "step bad", "step e", "step good", "step s"]
    whole = spans.pop("run test")
    assert whole["parent"] is None
    assert whole["status"] == "ERROR"
    assert whole["attributes"] == {
        "toolweave.run": told["run"],
        "toolweave.workflow": "test",
        "toolweave.outcome": "partial",
        "toolweave.code": "TEST_FAILED",
    }
    for name, span in spans.items():
        node = name.removeprefix("step ")
        assert span["parent"] == whole["id"]
        assert span["attributes"]["toolweave.run"] == told["run"]
        assert span["attributes"]["toolweave.step"] == f"{told['run']}/{node}"
        assert span["attributes"]["toolweave.node"] == node
    assert spans["step bad"]["status"] == "ERROR"
    assert spans["step bad"]["attributes"]["toolweave.code"] == "TEST_FAILED"
    assert spans["step good"]["attributes"]["toolweave.outcome"] == "step_finished"
    assert spans["step good"]["attributes"]["toolweave.attempt"] == 1
