"""The three modes of MCP nodes; `tools` compares them with live servers."""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import beside_data
from toolweave.workflow.mode_check import check_mode

# The visual editor leaves the list empty; at run time the server provides the tools.
_OMITTED = frozenset({"MCP_TOOL_LIST_EMPTY"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the problems of each MCP node's mode."""
    for facts in node_table(case).of_kinds({"mcp"}):
        node = facts.node
        for problem in check_mode(node, case.known.now):
            is_theirs = case.format == "ccwf" or "ccwf" in node.kept
            is_theirs_to_omit = is_theirs and problem.code in _OMITTED
            found = replace(problem, severity="warning") if is_theirs_to_omit else problem
            yield beside_data(_moved(found, facts.place))


def _moved(problem: Problem, by: str) -> Problem:
    patch = problem.patch and tuple(
        {key: by + value if key in {"path", "from"} else value for key, value in operation.items()}
        for operation in problem.patch
    )
    return replace(problem, pointer=by + problem.pointer, patch=patch)
