"""Nodes inside other nodes, which never run.

Where it is clear how they are joined, they are taken out when the file is read.
"""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.formats.inner_nodes import holds_nodes

_HINT = "list them in 'nodes' of the workflow, and connect a port of this node to the first of them"
# Nearly all nodes have nothing else.
_USUAL = frozenset(
    {"subtype", "configurations", "inputParams", "outputParams", "attachedNodes", "description"}
    | {"label", "prompt", "variables", "template", "serverId", "toolName", "toolDescription"}
    | {"parameters", "parameterValues", "mode", "outputPorts", "branches", "options"}
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield lists of nodes in a node."""
    for index, node in enumerate(case.workflow.nodes):
        if node.extras:
            yield from _nested(node.extras, pointer("nodes", index))
        if not _USUAL.issuperset(node.data):
            yield from _nested(node.data, pointer("nodes", index, "data"))


def _nested(members: dict[str, Json], place: str) -> Iterator[Problem]:
    for key, value in members.items():
        if holds_nodes(key, value):
            message = f"the nodes in {key!r} of this node never run"
            yield Problem("NODES_NESTED", place + pointer(key), message, hint=_HINT)
