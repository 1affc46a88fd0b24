"""Limits of a dialect: nodes, edges, branches, options and characters.

Exceeding a limit of the visual editor is a warning; exceeding a limit of the flow format is an
error. `modes` checks the lengths of tool lists, `formats` the file size.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.problems import Problem, Severity, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import DECISIONS, style_of, type_of
from toolweave.workflow.checks.ports import choices_of
from toolweave.workflow.model import Node

MAX_FLOW_NODES = 50
MAX_FLOW_EDGES = 100
MAX_DRAWN_NODES = 100
MAX_CHARS = {"prompt": 10_000, "questionText": 500, "label": 50}
# Limits of the flow format and of the CCWF format.
MAX_FLOW_EDGE_ID = 50
MAX_DESCRIPTION = 1_024


@dataclass(frozen=True, slots=True)
class _Range:
    least: int
    most: int
    key: str


_CHOICES = {
    "askUserQuestion": _Range(2, 4, "options"),
    "ifElse": _Range(2, 2, "branches"),
    "switch": _Range(2, 10, "branches"),
    "branch": _Range(2, 10, "branches"),
}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield everything that exceeds or falls below a limit."""
    style = style_of(case)
    nodes, edges = len(case.workflow.nodes), len(case.workflow.edges)
    if case.format == "flow":
        if nodes > MAX_FLOW_NODES:
            yield _too_many("nodes", nodes, MAX_FLOW_NODES, "error")
        if edges > MAX_FLOW_EDGES:
            yield _too_many("connections", edges, MAX_FLOW_EDGES, "error")
        yield from _edge_ids(case)
    elif style == "drawn":
        if nodes > MAX_DRAWN_NODES:
            yield _too_many("nodes", nodes, MAX_DRAWN_NODES, "warning")
        for index, node in enumerate(case.workflow.nodes):
            yield from _texts(index, node)
            if type_of(node) in DECISIONS:
                yield from _choices(index, node)


def _too_many(key: str, count: int, most: int, severity: Severity) -> Problem:
    what = "nodes" if key == "nodes" else "edges"
    return Problem(
        "NODES_TOO_MANY" if key == "nodes" else "EDGES_TOO_MANY",
        pointer(key),
        f"the workflow has {count} {what}; its format allows at most {most}",
        hint="split it into several workflows, or convert it to another format",
        severity=severity,
    )


def _texts(index: int, node: Node) -> Iterator[Problem]:
    limits = {"toolDescription": MAX_DESCRIPTION} if type_of(node) == "mcp" else MAX_CHARS
    for key, most in limits.items():
        value = node.data.get(key)
        if isinstance(value, str) and len(value) > most:
            yield Problem(
                "TEXT_TOO_LONG",
                pointer("nodes", index, "data", key),
                f"{key!r} has {len(value)} characters; the editor allows at most {most}",
                hint="shorten it",
                severity="warning",
            )


def _edge_ids(case: CheckContext) -> Iterator[Problem]:
    for index, edge in enumerate(case.workflow.edges):
        if len(edge.id) > MAX_FLOW_EDGE_ID:
            yield Problem(
                "TEXT_TOO_LONG",
                pointer("connections", index, "id"),
                f"the id has {len(edge.id)} characters; the flow format allows {MAX_FLOW_EDGE_ID}",
                hint="shorten it",
                severity="warning",
            )


def _choices(index: int, node: Node) -> Iterator[Problem]:
    wanted = _CHOICES[type_of(node)]
    count = len(choices_of(node))
    # With suggestions of a model there are no options before the run.
    if node.data.get("useAiSuggestions") is True and count == 0:
        return
    if count < wanted.least:
        code, bound = "CHOICES_TOO_FEW", "at least" if wanted.most > wanted.least else "exactly"
        limit = wanted.least
    elif count > wanted.most:
        code, bound, limit = "CHOICES_TOO_MANY", "at most", wanted.most
    else:
        return
    yield Problem(
        code,
        pointer("nodes", index, "data", wanted.key),
        f"{count} {wanted.key}; expected {bound} {limit}",
        hint="add the missing ones" if count < wanted.least else "remove some",
        severity="warning",
    )
