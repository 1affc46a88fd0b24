"""Faults made by general rules in any node are caught, fixed by their answer, and never guessed.

A part of them is tried here, chosen by content; `measure` tries all. The floors are below the
rates of the whole, so that a part never falls under them by chance.
"""

import pytest
from tests.workflow.faults.measure import Outcome
from tests.workflow.mutations.documents import specs
from tests.workflow.mutations.measure import Case, described, measured, rates
from tests.workflow.mutations.unclear_rules import UNDECIDED

EVERY = 401
Outcomes = list[tuple[Case, Outcome]]


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    return [one for group in measured(EVERY).values() for one in group]


def test_generated_faults_are_caught_and_fixed(outcomes: Outcomes) -> None:
    clear = [one for one in outcomes if _has_one_answer(one[0])]
    count, caught, fixed, _, _ = rates(clear)
    assert count >= 80
    assert caught >= 95
    assert fixed >= 90


def test_no_fix_of_a_generated_fault_gives_another_document(
    outcomes: Outcomes,
) -> None:
    assert [described(case, one) for case, one in outcomes if one.is_wrong_fix] == []


def test_a_hint_with_one_answer_has_its_patch_and_the_patch_removes_the_problem(
    outcomes: Outcomes,
) -> None:
    assert [one.unkept_hints for _, one in outcomes if one.unkept_hints] == []


def test_no_generated_fault_validates_and_then_does_not_start(outcomes: Outcomes) -> None:
    assert [described(case, one) for case, one in outcomes if one.is_valid_then_refused] == []


def test_faults_with_two_readings_are_generated(outcomes: Outcomes) -> None:
    assert sum(not _has_one_answer(case) for case, _ in outcomes) >= 40


def _has_one_answer(case: Case) -> bool:
    return not case.fault.is_never_fixed and case.fault.family not in UNDECIDED


def test_every_node_is_tried() -> None:
    assert len(specs()) >= 60
