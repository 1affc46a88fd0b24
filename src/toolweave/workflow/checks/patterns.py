"""Known mistakes: redundant analysis after a person's answer, and nodes attached to agents."""

from collections.abc import Iterator

from toolweave.catalog.successors import is_mistake
from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import is_catalog, spec_of
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.ports import is_attachment
from toolweave.workflow.checks.spelling import Spelling
from toolweave.workflow.model import Node, NodeId

ATTACHED = "attachedNodes"
AGENT = "AI_AGENT"
_ASKING = "HUMAN_IN_THE_LOOP"
_ATTACHABLE = frozenset({"TOOL", "MEMORY", "mcp"})
# These have no reply to analyse.
_WITHOUT_REPLY = frozenset({"timeout", "error"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield answers that are analysed twice and invalid attached nodes."""
    table = node_table(case)
    if table.of_kinds({_ASKING}):
        yield from _answers(case)
    if ATTACHED not in table.keys:
        return
    spelling = Spelling([node.id for node in case.graph.nodes.values() if _can_be_attached(node)])
    for index, node in enumerate(case.workflow.nodes):
        if ATTACHED in node.data and is_catalog(node):
            yield from _attached(case, index, node, spelling)


def _answers(case: CheckContext) -> Iterator[Problem]:
    for index, edge in case.edges:
        source, target = case.graph.nodes.get(edge.source), case.graph.nodes.get(edge.target)
        if source is None or target is None or source.type != _ASKING:
            continue
        before, after = spec_of(case, source), spec_of(case, target)
        is_exempt = edge.source_port in _WITHOUT_REPLY or is_attachment(edge)
        if before is None or after is None or is_exempt or not is_mistake(before, after):
            continue
        yield Problem(
            "HIL_ANALYSED_TWICE",
            case.at_edge(index),
            f"{shown(source.id)} already analyses the reply; {shown(target.id)} ({after.ref}) "
            "analyses it again",
            hint="connect its ports confirmed, rejected, unrelated and timeout to the next steps",
            severity="warning",
        )


def _attached(case: CheckContext, index: int, node: Node, spelling: Spelling) -> Iterator[Problem]:
    place = pointer("nodes", index, "data", ATTACHED)
    listed = node.data[ATTACHED]
    if not listed:
        return
    if node.type != AGENT:
        yield Problem(
            "ATTACHED_TO_NO_AGENT",
            place,
            f"{shown(node.id)} is not an {AGENT}; only agents can have attached nodes",
            hint="remove them, or attach them to an agent",
            severity="warning",
            patch=({"op": "remove", "path": place},),
        )
        return
    if not isinstance(listed, list):
        yield Problem(
            "ATTACHED_UNKNOWN",
            place,
            f"'{ATTACHED}' is {shown(listed)}; expected a list of node ids",
            hint="list the ids of TOOL and MEMORY nodes",
            patch=({"op": "replace", "path": place, "value": meant},)
            if (meant := _several(case, listed))
            else None,
        )
        return
    seen: set[str] = {one for one in listed if isinstance(one, str)}
    if len(seen) < sum(isinstance(one, str) for one in listed):
        message = f"'{ATTACHED}' names a node twice"
        once: list[Json] = [one for at, one in enumerate(listed) if one not in listed[:at]]
        twice = ({"op": "replace", "path": place, "value": once},)
        yield Problem("ATTACHED_UNKNOWN", place, message, "list it once", "warning", twice)
    for at, one in enumerate(listed):
        place = pointer("nodes", index, "data", ATTACHED, at)
        if one == case.workflow.nodes[index].id:
            message = f"{shown(one)} is attached to itself"
            remove = ({"op": "remove", "path": place},)
            yield Problem("ATTACHED_KIND", place, message, "remove it", "warning", remove)
        else:
            yield from _one(case, one, place, spelling, seen)


def _one(
    case: CheckContext, one: Json, place: str, spelling: Spelling, seen: set[str]
) -> Iterator[Problem]:
    node = case.graph.nodes.get(NodeId(one)) if isinstance(one, str) else None
    if node is None:
        named = _named(one)
        meant = named if named in case.graph.nodes else spelling.meant(named) if named else None
        if meant in seen:
            meant = None
        yield Problem(
            "ATTACHED_UNKNOWN",
            place,
            f"there is no node {shown(one)} to attach"
            if isinstance(one, str)
            else f"{shown(one)} is attached; expected the id of a node",
            hint=f"did you mean {meant!r}?" if meant else _attachable(case),
            patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
        )
    elif not _can_be_attached(node):
        yield Problem(
            "ATTACHED_KIND",
            place,
            f"{shown(node.id)} is {shown(node.type)}; expected a TOOL or MEMORY node",
            # Another node may be meant, or this one as a step.
            hint="attach a TOOL or MEMORY node; any other is connected with an edge",
            severity="warning",
        )


def _several(case: CheckContext, listed: Json) -> list[str]:
    """The ids in a text such as `a, b`, in an object by id, or in one object."""
    if isinstance(listed, str):
        found = [one.strip() for one in listed.split(",")]
    elif isinstance(listed, dict):
        named = _named(listed)
        lists = [one for one in listed.values() if isinstance(one, list)]
        inner = [one for given in lists for one in given if isinstance(one, str)]
        # `{"tools": […], "memory": […]}`
        found = [named] if named else inner if len(lists) == len(listed) else [*listed]
    else:
        return []
    return found if all(one in case.graph.nodes for one in found) else []


def _named(one: Json) -> str | None:
    """The id that an attached node is given by: a text, or an object with it."""
    if isinstance(one, dict):
        found = [one[key] for key in ("id", "node", "node_id", "nodeId") if key in one]
        one = found[0] if len(found) == 1 else None
    return one if isinstance(one, str) else None


def _attachable(case: CheckContext) -> str:
    known = [node.id for node in case.graph.nodes.values() if _can_be_attached(node)]
    listed = ", ".join(map(repr, known[:20]))
    return f"use one of {listed}, or remove it" if known else "add a TOOL or MEMORY node"


def _can_be_attached(node: Node) -> bool:
    return node.type in _ATTACHABLE
