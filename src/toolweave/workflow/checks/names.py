"""Names: the pattern of the CCWF format, and names that become file names.

The format's own samples violate its pattern, so an unusual name is only a warning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.identity import Ids
from toolweave.workflow.checks.kinds import SILENT
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Node

# Limits of the CCWF format.
PATTERN = pattern(r"[a-z0-9-]+")
MAX_LENGTH = 64
_VERSION = pattern(r"\d+(?:\.\d+)*(?:[-+][\w.+-]+)?")
# Limits of the flow format.
FLOW_PATTERN = pattern(r"[A-Za-z0-9_-]+")
MAX_FLOW_NAME = 100

# An export writes a file for each of these.
_FILES = frozenset({"subAgent"})
_TOOLS = frozenset({"mcp"})
_UNNAMED = frozenset({"start", "end", *SILENT})


@dataclass
class _Files:
    first: dict[str, int] = field(default_factory=dict[str, int])
    ids: Ids | None = None


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield names that are empty, too long, unusual, look like paths or share a file."""
    if case.format in {"ccwf", "toolweave"} and not case.is_subflow:
        yield from _workflow(case)
        yield from _unusual(case)
    elif case.format == "flow" and not case.is_subflow:
        yield from _flow(case)
    for facts in node_table(case).nodes:
        if not facts.node.name.strip():
            yield from _empty(case, facts.node, facts.kind, f"/nodes/{facts.index}/name")
        elif facts.kind == "mcp" and len(facts.node.name) > MAX_LENGTH:
            yield _too_long(facts.node, f"/nodes/{facts.index}/name")
    files = _Files()
    for facts in node_table(case).of_kinds(_FILES):
        if facts.node.name.strip():
            yield from _file(case, facts.index, facts.node, files)


def _workflow(case: CheckContext) -> Iterator[Problem]:
    name = case.workflow.name
    version = case.workflow.version
    if version and not _VERSION.fullmatch(version):
        message, hint = f"the version is {shown(version)}", "write it as 1.0.0"
        yield Problem("WORKFLOW_NAME_UNUSUAL", pointer("version"), message, hint, "warning")
    if name == "" and case.workflow.nodes:
        message, hint = "the workflow has no name", "write one, such as 'nightly-import'"
        yield Problem("WORKFLOW_NAME_UNUSUAL", pointer("name"), message, hint, "warning")
    if not name or PATTERN.fullmatch(name) or "/" in name or "\\" in name:
        return  # missing names and paths are reported when the file is parsed
    yield Problem(
        "WORKFLOW_NAME_UNUSUAL",
        pointer("name"),
        f"the name {shown(name)} contains more than lowercase letters, digits and hyphens",
        hint=f"its files are named {_slug(name)!r}",
        severity="warning",
    )


def _flow(case: CheckContext) -> Iterator[Problem]:
    """Check the name of a flow, which is part of addresses and keys."""
    name = case.workflow.name
    if not name:
        return  # reported when the file is parsed
    if len(name) > MAX_FLOW_NAME:
        problem = f"the name has {len(name)} characters; the flow format allows {MAX_FLOW_NAME}"
    elif not FLOW_PATTERN.fullmatch(name):
        problem = (
            f"the name {shown(name)} contains more than letters, digits, underscores and hyphens"
        )
    else:
        return
    yield Problem(
        "WORKFLOW_NAME_UNUSUAL",
        pointer("name"),
        problem,
        hint=f"other programs may require {_slug(name)!r}; Toolweave accepts it",
        severity="warning",
    )


def _unusual(case: CheckContext) -> Iterator[Problem]:
    """Yield one problem for all unusual names: many workflows use natural names."""
    found = [
        (facts.index, facts.node.name)
        for facts in node_table(case).of_kinds(_TOOLS)
        if facts.node.name.strip() and not PATTERN.fullmatch(facts.node.name)
    ]
    if not found:
        return
    index, name = found[0]
    others = f", and so do {len(found) - 1} more names" if len(found) > 1 else ""
    called = _slug(name)
    yield Problem(
        "NODE_NAME_UNUSUAL",
        pointer("nodes", index, "name"),
        f"the name {shown(name)} contains more than lowercase letters, digits and hyphens{others}",
        hint=f"other programs may require {called!r}; Toolweave accepts it" if called else None,
        severity="warning",
    )


def _empty(case: CheckContext, node: Node, kind: str, place: str) -> Iterator[Problem]:
    is_named = case.format == "flow" or kind in _UNNAMED
    if is_named and kind != "mcp":
        return
    patch: list[JsonObject] = []
    if meant := _names_meant(node, place.removesuffix("/name")):
        hint = f"rename {meant[0][1]!r} to 'name'?" if len(meant) == 1 else "choose its name"
        patch = [{"op": "move", "from": meant[0][0], "path": place}] if len(meant) == 1 else []
    else:
        hint = "give it a name; until then its id is shown"
        op = "replace" if node.name else "add"  # `add` works whether or not there is one
        patch = [{"op": op, "path": place, "value": node.id}] if node.id else []
    yield Problem(
        "NODE_NAME_EMPTY",
        place,
        f"the node {shown(node.id)} has no name; expected 1 to {MAX_LENGTH} characters",
        hint=hint,
        severity="warning",
        patch=tuple(patch) or None,
    )


def _names_meant(node: Node, place: str) -> list[tuple[str, str]]:
    """The places and keys of texts that another word for a name stands before."""
    owners = [(node.extras, place)]
    if node.ref is not None:
        owners.append((node.data, f"{place}/data"))  # drawn nodes have a label of their own there
    return [
        (at + pointer(key), key)
        for owner, at in owners
        for key, value in owner.items()
        if isinstance(value, str) and value.strip() and is_meant(key, "name")
    ]


def _too_long(node: Node, place: str) -> Problem:
    return Problem(
        "NODE_NAME_TOO_LONG",
        place,
        f"the name has {len(node.name)} characters; the recommended maximum is {MAX_LENGTH}",
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
            hint=f"its file is named {_slug(node.name)!r}",
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
        f"{pointer('nodes', files.first[called])} would be exported to one file, {called!r}",
        hint="rename one of the two; until then export fails",
        severity="warning",
        patch=({"op": "replace", "path": place, "value": files.ids.free(called)},),
    )


def _slug(name: str) -> str | None:
    try:
        return slug(name)
    except Invalid:
        return None
