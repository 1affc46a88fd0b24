"""Names: those seed 001 wants, and those that files are named after.

Its pattern and its own samples disagree, so a name outside it is a warning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolweave.errors import Invalid
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.identity import Ids
from toolweave.workflow.checks.kinds import SILENT, type_of
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Node

# 001: VALIDATION_RULES.MCP
PATTERN = re.compile(r"[a-z0-9-]+")
MAX_LENGTH = 64
# 003: Flow.metadata.name
FLOW_PATTERN = re.compile(r"[A-Za-z0-9_-]+")
MAX_FLOW_NAME = 100

# An exported workflow has a file for each of them.
_FILES = frozenset({"subAgent"})
_UNNAMED = frozenset({"start", "end", *SILENT})


@dataclass
class _Files:
    """The first node of each file, and names for the others."""

    first: dict[str, int] = field(default_factory=dict[str, int])
    ids: Ids | None = None


def check(case: CheckContext) -> Iterator[Problem]:
    """Names that are empty, too long, unusual, paths, or of two files at once."""
    if case.format in {"ccwf", "toolweave"} and not case.is_subflow:
        yield from _workflow(case)
        yield from _unusual(case)
    elif case.format == "flow" and not case.is_subflow:
        yield from _flow(case)
    files = _Files()
    for index, node in enumerate(case.workflow.nodes):
        kind = type_of(node)
        place = pointer("nodes", index, "name")
        if not node.name.strip():
            yield from _empty(case, node, kind, place)
        elif kind == "mcp":
            yield from _mcp(node, place)
        elif kind in _FILES:
            yield from _file(case, index, node, files)


def _workflow(case: CheckContext) -> Iterator[Problem]:
    name = case.workflow.name
    if not name or PATTERN.fullmatch(name) or "/" in name or "\\" in name:
        return  # a missing name and one that is a path are noted when the file is read
    yield Problem(
        "WORKFLOW_NAME_UNUSUAL",
        pointer("name"),
        f"the name {shown(name)} has more than small letters, digits and hyphens",
        hint=f"its files are called {_slug(name)!r}",
        severity="warning",
    )


def _flow(case: CheckContext) -> Iterator[Problem]:
    """003: a flow is found by its name, which is part of addresses and keys."""
    name = case.workflow.name
    if not name:
        return  # noted when the file is read
    if len(name) > MAX_FLOW_NAME:
        problem = f"the name has {len(name)} characters; a flow's has at most {MAX_FLOW_NAME}"
    elif not FLOW_PATTERN.fullmatch(name):
        problem = f"the name {shown(name)} has more than letters, digits, underscores and hyphens"
    else:
        return
    yield Problem(
        "WORKFLOW_NAME_UNUSUAL",
        pointer("name"),
        problem,
        hint=f"other programs may want {_slug(name)!r}; here it may stay",
        severity="warning",
    )


def _unusual(case: CheckContext) -> Iterator[Problem]:
    """Told once: a workflow whose nodes are named in plain words has many of them."""
    found = [
        (index, node.name)
        for index, node in enumerate(case.workflow.nodes)
        if node.name.strip() and type_of(node) == "mcp" and not PATTERN.fullmatch(node.name)
    ]
    if not found:
        return
    index, name = found[0]
    others = f", and so do {len(found) - 1} further names" if len(found) > 1 else ""
    called = _slug(name)
    yield Problem(
        "NODE_NAME_UNUSUAL",
        pointer("nodes", index, "name"),
        f"the name {shown(name)} has more than small letters, digits and hyphens{others}",
        hint=f"other programs may want {called!r}; here it may stay" if called else None,
        severity="warning",
    )


def _empty(case: CheckContext, node: Node, kind: str, place: str) -> Iterator[Problem]:
    is_named = case.format == "flow" or kind in _UNNAMED
    if is_named and kind != "mcp":
        return
    op = "replace" if node.name else "add"  # `add` is right whether or not there is one
    yield Problem(
        "NODE_NAME_EMPTY",
        place,
        f"the node {shown(node.id)} has no name; expected 1 to {MAX_LENGTH} characters",
        hint="give it a name; until then it is called by its id",
        severity="warning",
        patch=({"op": op, "path": place, "value": node.id},) if node.id else None,
    )


def _mcp(node: Node, place: str) -> Iterator[Problem]:
    if len(node.name) > MAX_LENGTH:
        yield Problem(
            "NODE_NAME_TOO_LONG",
            place,
            f"the name has {len(node.name)} characters; at most {MAX_LENGTH} are usual",
            hint="shorten it",
            severity="warning",
        )


def _file(case: CheckContext, index: int, node: Node, files: _Files) -> Iterator[Problem]:
    place = pointer("nodes", index, "name")
    if "/" in node.name or "\\" in node.name or node.name in {".", ".."}:
        yield Problem(
            "NODE_NAME_PATH",
            place,
            f"the name {shown(node.name)} looks like a path",
            hint=f"it is only ever a name; its file is called {_slug(node.name)!r}",
            severity="warning",
        )
    called = _slug(node.name)
    if called is None or files.first.setdefault(called, index) == index:
        return
    if files.ids is None:
        files.ids = Ids(_slug(one.name) or "" for one in case.workflow.nodes)
    yield Problem(
        "NODE_NAME_SHARED",
        place,
        f"{shown(node.name)} and {shown(case.workflow.nodes[files.first[called]].name)} at "
        f"{pointer('nodes', files.first[called])} would be one file, {called!r}",
        hint="give one of the two another name; exporting them is refused",
        severity="warning",
        patch=({"op": "replace", "path": place, "value": files.ids.free(called)},),
    )


def _slug(name: str) -> str | None:
    try:
        return slug(name)
    except Invalid:
        return None
