"""The proof over the real manifest and the real tests, and that the proof can fail."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.seeds import seed_000, seed_001, seed_002, seed_003, seed_004
from tests.seeds.marks import Marks, scan
from tests.seeds.page import without_door
from tests.seeds.plugin import TESTS
from tests.seeds.proof import faults, summary
from tests.seeds.requirement import ISSUES, Issue, Requirement
from tests.seeds.requirements import DONE_ISSUES, GAPS, REQUIREMENTS

IDS = [requirement.id for requirement in REQUIREMENTS]
SAMPLE = (
    Requirement("001:FR-008", "001", "Values are checked.", "Ground"),
    Requirement("001:FR-015", "001", "MCP nodes look different.", "Studio"),
)


def test_requirements_and_tests_prove_each_other() -> None:
    assert faults(REQUIREMENTS, scan(TESTS), done=DONE_ISSUES, gaps=GAPS) == []


def test_every_id_is_unique_and_begins_with_its_seed() -> None:
    assert len(set(IDS)) == len(IDS)
    assert [r.id for r in REQUIREMENTS if not re.fullmatch(rf"{r.seed}:\S.*\S", r.id)] == []
    assert {r.seed for r in REQUIREMENTS} == {"000", "001", "002", "003", "004"}
    assert {r.issue for r in REQUIREMENTS} == set(ISSUES)


def test_flows_and_nodes_are_proven_through_a_door_or_say_why_not() -> None:
    assert [id for id in without_door() if id.startswith(("003:", "004:"))] == []


def test_every_text_is_one_line_that_ends_with_a_full_stop() -> None:
    texts = [text for r in REQUIREMENTS for text in (r.text, r.settled) if text is not None]
    assert [text for text in texts if "\n" in text or not text.endswith(".")] == []


@pytest.mark.parametrize("seed", [seed_000, seed_001, seed_002, seed_003, seed_004])
def test_notes_belong_to_requirements_that_exist(seed: object) -> None:
    notes = [getattr(seed, name) for name in ("SETTLED", "MESSAGES", "INTERNAL")]
    assert {id for found in notes for id in found} <= set(IDS)


def test_the_numbered_things_of_the_seeds_are_all_there() -> None:
    assert {f"001:FR-{number:03}" for number in range(1, 16)} <= set(IDS)
    assert len([id for id in IDS if id.startswith("000:MCP_")]) == 5
    assert len([id for id in IDS if id.startswith("001:MCP_")]) == 12
    assert len([id for id in IDS if id.startswith("001:VALIDATION_RULES.")]) == 12
    assert len([id for id in IDS if id.startswith("004:spec.")]) == 39
    assert len([id for id in IDS if re.match(r"004:(GET|POST) /api/v1/mcp/", id)]) == 6


def test_each_of_the_39_specs_also_has_to_run() -> None:
    specs = {id.removeprefix("004:spec.") for id in IDS if id.startswith("004:spec.")}
    runs = {id.removeprefix("004:run.") for id in IDS if id.startswith("004:run.")}
    assert runs == specs


def _faults(
    *tested: str, done: tuple[Issue, ...] = (), gaps: dict[str, str] | None = None
) -> list[str]:
    marks = Marks(dict.fromkeys(tested, ("tests/test_a.py::test_a",)), ())
    return faults(SAMPLE, marks, done=done, gaps=gaps or {})


def test_a_requirement_of_an_open_issue_may_wait_and_may_be_tested_early() -> None:
    assert _faults() == []
    assert _faults("001:FR-015") == []


def test_a_requirement_of_a_done_issue_without_a_test_is_a_fault() -> None:
    assert _faults(done=("Ground",)) == ["Ground is done, but '001:FR-008' has no test"]
    assert _faults("001:FR-008", done=("Ground",)) == []


def test_a_listed_gap_excuses_a_requirement_of_a_done_issue() -> None:
    assert _faults(done=("Ground",), gaps={"001:FR-008": "waits for a release"}) == []


def test_a_gap_that_is_tested_unknown_early_or_without_a_reason_is_a_fault() -> None:
    stale = _faults("001:FR-008", done=("Ground",), gaps={"001:FR-008": "waits"})
    assert stale == ["the gap '001:FR-008' is stale: tests/test_a.py::test_a tests it"]
    assert _faults(gaps={"001:FR-099": "waits"}) == ["the gap '001:FR-099' is no requirement"]
    assert _faults(gaps={"001:FR-008": "waits"}) == [
        "the gap '001:FR-008' needs no entry: Ground is not done"
    ]
    assert _faults(done=("Ground",), gaps={"001:FR-008": " "}) == [
        "the gap '001:FR-008' has no reason"
    ]


def test_an_unknown_id_is_a_fault_that_names_the_close_one() -> None:
    assert _faults("001:FR-08") == [
        "tests/test_a.py::test_a: no requirement '001:FR-08'; did you mean '001:FR-008'?"
    ]


def test_a_mark_that_proves_nothing_is_a_fault_of_the_whole_proof() -> None:
    assert faults(SAMPLE, Marks({}, ("tests/test_a.py:1: wrong",)), done=(), gaps={}) == [
        "tests/test_a.py:1: wrong"
    ]


def test_the_summary_counts_by_seed_and_names_what_each_issue_lacks() -> None:
    assert summary(SAMPLE, Marks({"001:FR-008": ("tests/test_a.py::test_a",)}, ())) == [
        "seed 001:   1 of   2 requirements tested",
        "all seeds: 1 of 2; without a test: "
        "Ground 0, Catalog 0, Workflows 0, Engine 0, Models 0, Library 0, Studio 1",
    ]


def test_the_plugin_prints_the_summary_at_the_end_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_a.py").write_text("def test_a():\n    assert 1 + 1 == 2\n", encoding="utf-8")
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.seeds.plugin", str(tmp_path)),
            # Their imports take longer than all the rest.
            *("-p", "no:schemathesis", "-p", "no:hypothesispytest"),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = re.findall(r"^seed (\d+): +\d+ of +\d+ requirements tested$", run.stdout, re.MULTILINE)
    assert lines == ["000", "001", "002", "003", "004"]
