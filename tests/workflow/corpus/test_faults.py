"""Seeded faults: nearly all are caught, nearly all that can be fixed are, and no patch harms."""

from collections import Counter
from collections.abc import Callable

import pytest
from tests.workflow.corpus.bases import Base, bases
from tests.workflow.corpus.rates import Outcome, examined, faults_of, outcomes

from toolweave.workflow.formats.format import FORMAT_NAMES

LEAST_KINDS = 40
LEAST_BASES = 12
CAUGHT = 0.97
FIXED = 0.92

NAMES = [base.name for base in bases()]


@pytest.mark.parametrize("base", bases(), ids=NAMES)
def test_a_right_workflow_has_no_error(base: Base) -> None:
    errors = [one for one in examined(base.document, base).problems if one.severity == "error"]
    assert errors == []


@pytest.mark.parametrize("name", NAMES)
def test_single_faults_are_caught_and_mended(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    found = outcomes(name)
    missed = [one.fault.name for one in found if not one.is_caught]
    fixable = [one for one in found if one.fault.fix != "none"]
    unfixed = [one.fault.name for one in fixable if not one.is_fixed]
    for key, value in _counted(found).items():
        record_property(f"faults {key}", value)
    assert [harm for one in found for harm in one.harmful] == []
    assert len(missed) <= (1 - CAUGHT) * len(found), missed
    assert len(unfixed) <= (1 - FIXED) * len(fixable), unfixed


def _counted(found: tuple[Outcome, ...]) -> Counter[str]:
    return Counter(
        {
            "all": len(found),
            "caught": sum(one.is_caught for one in found),
            "fixable": sum(one.fault.fix != "none" for one in found),
            "fixed": sum(one.is_fixed for one in found if one.fault.fix != "none"),
        }
    )


def test_there_are_enough_kinds_of_faults_in_enough_workflows() -> None:
    from_bases = [{fault.kind for fault in faults_of(base)} for base in bases()]
    assert len({kind for kinds in from_bases for kind in kinds}) >= LEAST_KINDS
    assert len(from_bases) >= LEAST_BASES
    assert {examined(base.document, base).loaded.format for base in bases()} == set(FORMAT_NAMES)
