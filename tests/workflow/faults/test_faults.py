"""Faults that authors make are caught and fixed as well as recorded, and nothing is guessed.

`recorded.json` has the failures that are known, by id, and the rates that may not fall. Anyone who
repairs a failure removes its id and raises the rate.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.catalog.builders import our_catalog
from tests.nodes.generated import Generated
from tests.nodes.test_start import Started, start
from tests.workflow.faults.cases import faults, right_documents, unusual_documents
from tests.workflow.faults.measure import (
    Measured,
    bad_patches,
    examined,
    known_environment,
    measure,
    unkept_hints,
)

from toolweave.engine.prepared_step import prepare
from toolweave.json_text import JsonObject
from toolweave.nodes import discover
from toolweave.problems import Problem
from toolweave.workflow.formats.load import load
from toolweave.workflow.modes import object_at

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "recorded.json").read_text())


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(known_environment())


@pytest.mark.parametrize("name", ["wrong", "alarm", "refused"])
def test_failures_are_those_that_are_recorded(measured: Measured, name: str) -> None:
    found, recorded = set(measured.ids(name)), set(RECORDED["known"][name])
    assert found - recorded == set(), f"new; see `--list {name}` of the measurement"
    assert recorded - found == set(), "repaired; remove them from recorded.json"


@pytest.mark.parametrize("name", ["caught", "placed", "fixed"])
def test_rates_do_not_fall(measured: Measured, name: str) -> None:
    assert measured.rate(name) >= RECORDED["floor"][name]


def test_each_patch_alone_can_be_applied_to_the_file_and_causes_no_error(
    measured: Measured,
) -> None:
    found = {one.fault.id: one.bad_patches for one in measured.outcomes if one.bad_patches}
    assert found == {}
    text = json.dumps(right_documents()["hello"])
    wrong = ({"op": "replace", "path": "/connections/0/to", "value": "nowhere"},)
    nowhere = ({"op": "remove", "path": "/nothing"},)
    for patch in (wrong, nowhere):
        problem = Problem("A", "/a", "wrong", patch=patch)
        report = replace(examined(text, measured.known), problems=(problem,))
        assert list(bad_patches(text, report)) != []


def test_a_hint_with_one_answer_has_a_patch_and_one_with_several_has_none(
    measured: Measured,
) -> None:
    found = {one.fault.id: one.unkept_hints for one in measured.outcomes if one.unkept_hints}
    assert found == {}
    one = Problem("A", "/a", "wrong", hint="did you mean 'b'?")
    several = Problem("A", "/a", "wrong", hint="did you mean one of b, c?", patch=({"path": "/a"},))
    control = examined("{}", measured.known)
    for problem in (one, several):
        assert list(unkept_hints(replace(control, problems=(problem,)))) != []


def test_the_set_is_large_and_varied() -> None:
    families = Counter(fault.family for fault in faults())
    kinds = Counter(fault.id.rpartition("-")[0] for fault in faults())
    assert len(faults()) >= 330
    assert len(families) == 14
    assert max(kinds.values()) <= 4
    assert sum(fault.is_never_fixed for fault in faults()) >= 25
    assert len(right_documents()) >= 25
    assert len(unusual_documents()) - len(right_documents()) >= 40
    assert len({fault.id for fault in faults()}) == len(faults())


@pytest.mark.parametrize(
    ("id", "at", "refused"),
    [
        ("enum-operator-sign-1", 2, {"conditions": [{"field": "status", "operator": "=~"}]}),
        ("nesting-input-in-configurations-1", 5, {"message": ""}),
    ],
)
def test_faults_that_a_run_accepts_are_not_labelled_as_refused(
    id: str, at: int, refused: JsonObject
) -> None:
    (fault,) = (one for one in faults() if one.id == id)
    node = load(fault.text.replace("{{ request.body.customer }}", "Ada")).workflow.nodes[at]
    code = next(one for one in discover() if one.spec.ref == node.ref)
    config = object_at(node.data, "configurations")
    is_filter = node.ref == "FLOW.FILTER"
    inputs: JsonObject = {"data": [{"status": "open", "total": 50}]} if is_filter else {}
    assert not fault.is_refused
    assert start(code, Generated("as written", config, inputs)) == Started()
    assert start(code, Generated("control", {**config, **refused}, inputs)).refused


def test_a_python_literal_in_a_condition_is_translated_for_the_run() -> None:
    (fault,) = (one for one in faults() if one.id == "expression-python-literal-1")
    prepared = prepare(load(fault.text).workflow.nodes[2], our_catalog().get("FLOW", "IF"))
    assert prepared.config["condition_expression"] == "data.exists == false"
    assert not fault.is_refused


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *(("second", 400), ("third", 280), ("fourth", 300), ("fifth", 290), ("sixth", 140)),
        *(("seventh", 490), ("eighth", 240)),
    ],
)
def test_another_set_is_measured_as_recorded(name: str, least: int) -> None:
    other = measure(known_environment(name), name)
    recorded = RECORDED[name]
    assert len(other.outcomes) >= least
    assert {one.fault.id: one.bad_patches for one in other.outcomes if one.bad_patches} == {}
    for failure in ("wrong", "refused"):
        assert set(other.ids(failure)) <= set(recorded["known"][failure]), failure
    for rate, floor in recorded["floor"].items():
        assert other.rate(rate) >= floor, rate
