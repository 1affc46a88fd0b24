"""A name that says the opposite is never taken for a misspelling; a slip still is."""

import pytest

from toolweave.tools.misspelling import misspelt
from toolweave.workflow.checks.spelling import closest


@pytest.mark.parametrize(
    ("wrong", "known"),
    [
        ("no_overwrite", "overwrite"),
        ("unpinned", "pinned"),
        ("inactive", "active"),
        ("ascending", "descending"),
        ("min_iterations", "max_iterations"),
        ("decreasing", "increasing"),
        ("external", "internal"),
        ("outputValue", "inputValue"),
    ],
)
def test_an_opposite_is_no_slip(wrong: str, known: str) -> None:
    slip = known[:-1]
    assert (closest(slip, [known]), misspelt(slip, [known])) == (known, known)  # the control
    assert (closest(wrong, [known]), misspelt(wrong, [known])) == (None, None)
