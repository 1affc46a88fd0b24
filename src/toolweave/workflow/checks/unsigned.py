"""Triggers that anybody can fire: a delivery that is not signed proves nothing of its sender."""

from collections.abc import Iterator

from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.modes import object_at

# By kind of trigger, the field of the secret its sender signs with.
_SIGNED_BY = {"TRIGGER.GITHUB": "webhook_secret"}


def check(case: CheckContext) -> Iterator[Problem]:
    """Triggers that take unsigned deliveries, which is allowed and rarely meant."""
    for index, node, spec in catalog_nodes(case):
        field = _SIGNED_BY.get(spec.ref)
        if field is not None and not object_at(node.data, "configurations").get(field):
            yield Problem(
                "HOOK_UNSIGNED",
                pointer("nodes", index, "data", "configurations"),
                f"node {node.id!r} has no {field!r}: whoever knows its address can start runs",
                hint=f"write {field} as ${{vault:NAME}}, and the same secret at the sender",
                severity="warning",
            )
