"""The Mermaid flowchart of a workflow: ids and labels that no word of the user can break."""

import re
from collections.abc import Iterator

from toolweave.export.user_text import one_line
from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, NodeId, Workflow
from toolweave.workflow.modes import text_at

GROUP = "group"
# Texts on the canvas: no part of the flow.
NOTES = frozenset({"note", "notes", "comment", "stickyNote"})
ASKING = "askUserQuestion"
BRANCHING = frozenset({"ifElse", "switch", "branch"})
_ROUND = frozenset({"start", "end"})
_CALLING = frozenset({"skill", "mcp", "codex", "subAgentFlow", "flow-link", "TOOL"})
_DECIDING = frozenset({ASKING, "FLOW.IF", "FLOW.SWITCH", "FLOW.FILTER"}) | BRANCHING
MAX_LABEL = 120

# `end` is a word of its own to Mermaid, the others also as the beginning of one.
_RESERVED = pattern(
    r"end$|(?:graph|flowchart|subgraph|style|linkstyle|classdef|class|click|href|call|default"
    r"|interpolate|direction)",
    re.IGNORECASE,
)
_SIGNS = str.maketrans({sign: f"#{ord(sign)};" for sign in '#"[](){}<>|&%`\\'})


def diagram(workflow: Workflow) -> str:
    """The flowchart as text, one statement a line."""
    ids = diagram_ids(workflow)
    first: dict[NodeId, int] = {}
    for index, node in enumerate(workflow.nodes):
        if node.type not in NOTES:
            first.setdefault(node.id, index)
    lines = ["flowchart TD", *_nodes(workflow, ids, first)]
    for edge in workflow.edges:
        if edge.source in first and edge.target in first:
            label = edge_label(edge, workflow.nodes[first[edge.source]])
            said = f'|"{_escaped(label)}"|' if label else ""
            lines.append(f"    {ids[first[edge.source]]} -->{said} {ids[first[edge.target]]}")
    return "\n".join(lines)


def diagram_ids(workflow: Workflow) -> list[str]:
    """What each node is called in the diagram, all different."""
    found: list[str] = []
    taken: set[str] = set()
    last: dict[str, int] = {}
    for node in workflow.nodes:
        name = re.sub(r"[^A-Za-z0-9_]", "_", node.id) or "node"
        if match := _RESERVED.match(name):
            name = f"{name}_" if match[0].lower() == "end" else f"n_{name}"
        plain, number = name, last.get(name, 1)
        while name.lower() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.lower())
        last[plain] = number
        found.append(name)
    return found


def label_of(node: Node) -> str:
    """What a reader sees on a node."""
    return text_at(node.data, "label") or node.title


def branch_labels(data: JsonObject) -> list[str]:
    """The labels of a decision's ways out, in order; those of a question are its options."""
    listed = data.get("branches", data.get("options"))
    entries = listed if isinstance(listed, list) else []
    return [text_at(entry, "label") if isinstance(entry, dict) else "" for entry in entries]


def _nodes(workflow: Workflow, ids: list[str], first: dict[NodeId, int]) -> Iterator[str]:
    """Nodes and groups, what is in a group between its two lines; without recursion."""
    inside: dict[int | None, list[int]] = {}
    for index, node in enumerate(workflow.nodes):
        if node.type in NOTES:
            continue
        inside.setdefault(_group(workflow, first, index), []).append(index)
    waiting: list[tuple[int, str]] = [(index, "") for index in reversed(inside.get(None, []))]
    while waiting:
        index, closing = waiting.pop()
        if closing:
            yield closing
            continue
        node = workflow.nodes[index]
        if node.type != GROUP:
            yield f"    {ids[index]}{_shape(node)}"
            continue
        yield f'    subgraph {ids[index]}["{_escaped(label_of(node))}"]'
        waiting.append((index, "    end"))
        waiting += [(child, "") for child in reversed(inside.get(index, []))]


def _group(workflow: Workflow, first: dict[NodeId, int], index: int) -> int | None:
    """Return the group a node is drawn in; None if groups contain each other."""
    seen = {index}
    above = owner = _owner(workflow, first, index)
    while above is not None:
        if above in seen:
            return None
        seen.add(above)
        above = _owner(workflow, first, above)
    return owner


def _owner(workflow: Workflow, first: dict[NodeId, int], index: int) -> int | None:
    parent = workflow.nodes[index].parent
    found = first.get(parent) if parent is not None else None
    return found if found is not None and workflow.nodes[found].type == GROUP else None


def _shape(node: Node) -> str:
    label = f'"{_escaped(label_of(node))}"'
    if node.type in _ROUND:
        return f"([{label}])"
    if node.type in _DECIDING or node.ref in _DECIDING:
        return f"{{{label}}}"
    return f"[[{label}]]" if node.type in _CALLING else f"[{label}]"


def edge_label(edge: Edge, source: Node) -> str:
    """What stands on an edge: the branch it is, its port or its condition."""
    labels = branch_labels(source.data)
    branch = re.fullmatch(r"branch-(\d{1,4})", edge.source_port)
    if branch and int(branch[1]) < len(labels):
        return labels[int(branch[1])] or edge.source_port
    if edge.source_port != OUTPUT_PORT:
        return edge.source_port
    return edge.condition or ""


def _escaped(label: str) -> str:
    return one_line(label, MAX_LABEL).translate(_SIGNS) or " "
