"""What checks worked out is freed when they are done, without a collection of garbage."""

import gc
from dataclasses import replace

from tests.workflow.checks.building import known, line, node

from toolweave.workflow.checks import check_workflow


def test_finished_check_leaves_nothing_to_the_garbage_collector() -> None:
    delay = node("wait", "FLOW.DELAY", configurations={"duration_seconds": "{{ 1 + 1 }}"})
    faulty = node("later", "FLOW.DELAY", configurations={"duration_seconds": "soon"})
    inner = line(node("start", "TRIGGER.MANUAL"), delay, faulty)
    workflow = replace(inner, subflows=(inner,))
    check_workflow(workflow, known())  # loads modules, and fills the caches of specifications
    gc.collect()
    gc.disable()
    try:
        found = check_workflow(workflow, known())
        left = gc.collect()
    finally:
        gc.enable()

    assert found != []
    assert left == 0
