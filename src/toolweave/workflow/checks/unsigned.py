"""Triggers that accept unsigned deliveries, so that anybody can start runs."""

from collections.abc import Iterator

from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.modes import object_at

# Trigger type -> the field of its signing secret.
_SIGNED_BY = {"TRIGGER.GITHUB": "webhook_secret"}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield warnings: unsigned deliveries are allowed but rarely intended."""
    for index, node, spec in catalog_nodes(case):
        field = _SIGNED_BY.get(spec.ref)
        if field is not None and not object_at(node.data, "configurations").get(field):
            yield Problem(
                "HOOK_UNSIGNED",
                pointer("nodes", index, "data", "configurations"),
                f"node {node.id!r} has no {field!r}: anyone who knows its address can start runs",
                hint=f"set {field} to ${{vault:NAME}} and configure the same secret at the sender",
                severity="warning",
            )
