"""What is right is never called wrong: a thousand workflows that are right by construction."""

import json
from collections.abc import Callable

import pytest
from tests.workflow.corpus.bases import World, world
from tests.workflow.corpus.right import right_workflows

from toolweave.workflow.checks import check_workflow
from toolweave.workflow.formats.load import load

# Each part is a test of its own, so that two processes share them.
PARTS = 5
IN_A_PART = 250
# What may be said of a right workflow: where nothing follows a choice, what nobody could look up,
# names that other programs may not take, and a reply that an IF looks at once more.
EXPECTED = {
    *("BRANCH_OPEN", "NODE_UNKNOWN", "NODE_NAME_UNUSUAL", "HIL_ANALYSED_TWICE"),
    # Secrets of generated workflows are placeholders, and their addresses may be private.
    *("SECRET_REFERENCE_INVALID", "FIELD_FORM_UNUSUAL"),
    "HOOK_UNSIGNED",  # a trigger of GitHub may do without a secret
    "EXPRESSION_TYPE",  # generated conditions compare an option with any text
    "VALUE_UNLIKELY",  # or are the same in every run: 1 + 1 == 2
}
WORLDS: tuple[World, ...] = ("live", "live", "live", "pinned", "alone")


@pytest.mark.parametrize("part", range(PARTS))
def test_a_workflow_that_is_right_by_construction_has_no_error(
    part: int, record_property: Callable[[str, object], None]
) -> None:
    known = world(WORLDS[part])
    alarms: list[str] = []
    warnings: set[str] = set()
    for document in right_workflows(IN_A_PART, part * IN_A_PART):
        loaded = load(json.dumps(document))
        for problem in (*loaded.problems, *check_workflow(loaded.workflow, known, loaded.format)):
            if problem.severity == "error":
                alarms.append(f"{document['name']}{problem.pointer}: {problem.message}")
            else:
                warnings.add(problem.code)
    record_property("faults right", IN_A_PART)
    record_property("faults alarms", len(alarms))
    assert alarms == []
    assert warnings <= EXPECTED
