"""Queues of nodes: their names, and nodes that every worker computes."""

import re
from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.settings import QUEUE_PATTERN
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import SILENT, type_of
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.node_queue import KEY, queue_settings

_COMPUTED = SILENT | {
    *("start", "end", "result", "multi_input", "input"),
    *("ifElse", "switch", "branch"),
}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield queues that are no names, and queues of nodes that only compute."""
    table = node_table(case)
    if KEY not in table.names and KEY not in table.keys:
        return  # as nearly always
    for facts in table.nodes:
        index, node = facts.index, facts.node
        if KEY not in facts.settings and KEY not in node.data and KEY not in node.extras:
            continue
        for steps, queue in queue_settings(node):
            place = pointer("nodes", index, *steps)
            spec = case.specs[index]
            if not _is_name(queue):
                yield Problem(
                    "QUEUE_NAME_INVALID",
                    place,
                    f"the queue of node {node.id!r} is not a name: {queue!r}",
                    "up to 63 letters, digits and . _ - : gpu, in-house; templates are not filled",
                )
            elif type_of(node) in _COMPUTED or (spec is not None and spec.effect == "pure"):
                yield Problem(
                    "QUEUE_WITHOUT_EFFECT",
                    place,
                    f"node {node.id!r} only computes, which every worker does; it has no queue",
                    "bind the nodes that call or change something",
                    patch=({"op": "remove", "path": place},),
                )


def _is_name(queue: Json) -> bool:
    return isinstance(queue, str) and re.fullmatch(QUEUE_PATTERN, queue) is not None
