"""The parameters of its tool that an MCP node has stored. Not a check."""

from toolweave.json_text import Json
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})


def nodes_with_odd_parameters(case: CheckContext) -> frozenset[int]:
    """Return the indexes of MCP nodes whose parameters are not as an editor writes them: few."""
    return case.once(_odd)


def _odd(case: CheckContext) -> frozenset[int]:
    return frozenset(
        facts.index
        for facts in node_table(case).of_kinds({"mcp"})
        if not _are_usual(facts.node.data.get("parameters"))
    )


def _are_usual(parameters: Json) -> bool:
    if not isinstance(parameters, list):
        return parameters is None
    for one in parameters:
        if not (
            isinstance(one, dict)
            and isinstance(kind := one.get("type", "string"), str)
            and kind in _TYPES
            and isinstance(one.get("required", False), bool)
            and isinstance(one.get("name"), str)
        ):
            return False
    return True
