"""Documents written as other systems write them: `edges`, `source` and `target`, nodes as a map.

The dialect is decided by the whole. What does not fit it is corrected before reading, by a patch
of the file; where a part could mean two things it stays as it is. What the words mean is in
`foreign_nodes` and `foreign_edges`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.workflow.formats.envelope import WRAPPER, X, unwrapped
from toolweave.workflow.formats.flow_documents import (
    FLOW_TYPES,
    are_flow_nodes,
    flow_nodes_in,
    is_flow,
    key_of_nodes,
    listed_flows,
    lists_edges,
)
from toolweave.workflow.formats.flow_reshape import flow_operations
from toolweave.workflow.formats.foreign_edges import (
    edge_list,
    edge_lists,
    edge_operations,
    source_key,
)
from toolweave.workflow.formats.foreign_nodes import (
    Dialect,
    are_nodes,
    as_list,
    dialect_of,
    is_known_type,
    meant_key,
    node_lists,
    node_operations,
)
from toolweave.workflow.formats.inner_nodes import lifting
from toolweave.workflow.formats.named_ends import named_ends
from toolweave.workflow.json_patch import apply_patch

CODE = "WORKFLOW_FORM_FOREIGN"
# A file with more is written by a program.
MAX_PARTS = 2_000
_MAX_MEMBERS = 20
_TRIGGER = "TRIGGER"
_TITLES = ("title", "label", "workflowName", "workflow_name", "displayName", "display_name")
_FLOW_KINDS = frozenset({"data", "chain", "result"})
_OTHER_ENDS = frozenset({"from_node", "to_node", "from", "to"})
# Where a call of a tool or an answer of one holds a workflow.
_AROUND = frozenset({"arguments", "args", "input", "data", "result", "body", "payload", "content"})
# What is inside a document with one of these is a part of it, such as a flow of an agent.
_OWN = frozenset({"nodes", "connections", "edges", "subAgentFlows"})
# A workflow in parts: its name beside its graph.
_GRAPHS = frozenset({"graph", "definition", "spec", "dag", "diagram", "pipeline"})
_MEANT: dict[Dialect, str] = {
    "toolweave": "with 'data' in nodes, 'from' and 'to' in connections",
    "agent-team": "with 'configurations' in nodes, 'from_node' and 'to_node' in connections",
}

_LISTED = "apply the fix, which lists and connects them there"

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`


def reshaped(document: Json) -> tuple[Json, tuple[Problem, ...]]:
    """The document in the dialect it is nearest to, and what was corrected in it."""
    if not isinstance(document, dict):
        return document, ()
    inner, is_wrapped = unwrapped(document)
    if (found := listed_flows(inner)) is not None and X not in inner:
        root = pointer(WRAPPER) if is_wrapped else ""
        return _with_listed_flows(document, root, *found)
    if "flows" in inner and not lists_edges(inner):
        return _with_parts(document, pointer(WRAPPER) if is_wrapped else "")
    if X in inner or inner.get("nodes") == []:  # without nodes no dialect is surer than another
        return document, ()
    if not isinstance(inner.get("nodes"), list) and (found := _taken_out(inner)) is not None:
        after, _ = reshaped(found)
        whole: Operation = {"op": "replace", "path": "", "value": after}
        message = "the workflow is inside another object, and is read without it"
        return after, (_problem("", message, [whole]),)
    root = pointer(WRAPPER) if is_wrapped else ""
    if lifted := _lifted(inner, root):
        document = apply_patch(document, [one for problem in lifted for one in problem.patch or ()])
        after, problems = reshaped(document)
        return after, (*lifted, *problems)
    work = _Reshaping(inner, root)
    work.run()
    if not work.problems:
        return document, ()
    return apply_patch(document, work.operations), tuple(work.problems)


def _with_listed_flows(
    document: JsonObject, root: str, key: str, operations: list[Operation]
) -> tuple[Json, tuple[Problem, ...]]:
    """The document with its flows as the list `flows`."""
    moved = [
        {name: root + one if name in {"path", "from"} else one for name, one in step.items()}
        for step in operations
    ]
    problem = _problem(root + pointer(key), "expected 'flows' as a list of flows", moved)
    after, problems = _with_parts(apply_patch(document, moved), root)
    return after, (problem, *problems)


def _with_parts(document: Json, root: str) -> tuple[Json, tuple[Problem, ...]]:
    """The document with the nodes and edges of each of its flows in the form of a flow."""
    inner, _ = unwrapped(document)
    flows = inner.get("flows") if X not in inner else None
    problems: list[Problem] = []
    for at, flow in enumerate(flows if isinstance(flows, list) else ()):
        if isinstance(flow, dict) and any(
            are_flow_nodes(one) or flow_nodes_in(one) for one in flow.values()
        ):
            work = _Reshaping(flow, f"{root}/flows/{at}")
            work.run()
            problems += work.problems
    operations = [one for problem in problems for one in problem.patch or ()]
    return (apply_patch(document, operations) if operations else document), tuple(problems)


def _lifted(inner: JsonObject, root: str) -> list[Problem]:
    """The nodes inside other nodes, which are put into the list of all nodes."""
    nodes = inner.get("nodes")
    if not isinstance(nodes, list) or len(nodes) > MAX_PARTS:
        return []
    message = "the nodes inside this node never run; all nodes are in the list 'nodes'"
    return [
        replace(_problem(place, message, operations), code="NODES_NESTED", hint=_LISTED)
        for place, operations in lifting(inner, root, dialect_of(nodes))
    ]


def original_place(place: str, problems: Sequence[Problem]) -> str:
    """The place in the file of a place in the corrected document, as near as can be."""
    operations = [one for problem in problems for one in problem.patch or ()]
    for operation in reversed(operations):
        path = str(operation["path"])
        # Of a whole document that was replaced, the places are those of the corrected copy.
        if not path or (place != path and not place.startswith(f"{path}/")):
            continue
        if operation["op"] == "move":
            place = str(operation["from"]) + place.removeprefix(path)
        elif operation["op"] == "replace":
            place = path
        else:
            place = path.rpartition("/")[0]
    return place


def _problem(place: str, message: str, operations: list[Operation]) -> Problem:
    hint = "apply the fix, which only renames and moves"
    return Problem(CODE, place, message, hint, "error", tuple(operations))


def _told(dialect: Dialect) -> str:
    return f"the document is read as the dialect {dialect!r}, {_MEANT[dialect]}"


def _taken_out(document: JsonObject) -> JsonObject | None:
    """The only workflow inside an object that is none; beside a graph, the rest is its header."""
    found: list[JsonObject] = []
    for key, value in document.items():
        if not isinstance(value, dict):
            continue
        is_around = key in _GRAPHS | _AROUND or (len(document) == 1 and key != WRAPPER)
        if is_around and _is_workflow(value):
            is_graph = key in _GRAPHS
            rest = {name: one for name, one in document.items() if name != key}
            found.append({**rest, **value} if is_graph else value)
        elif key in _AROUND and isinstance(inner := value.get(WRAPPER), dict):
            found += [inner] if _is_workflow(inner) else []
    if not found and _OWN.isdisjoint(document):
        found = [*_workflows_in(document)]
    return found[0] if len(found) == 1 else None


def _workflows_in(value: Json, depth: int = 4) -> Iterator[JsonObject]:
    """The workflows in an answer or a call of a tool."""
    if isinstance(value, dict) and _is_workflow(value):
        yield value
    elif depth and isinstance(value, dict | list):
        for one in list(value.values() if isinstance(value, dict) else value)[:_MAX_MEMBERS]:
            yield from _workflows_in(one, depth - 1)


def _is_workflow(value: JsonObject) -> bool:
    return are_nodes(value.get("nodes")) or is_flow(value)


class _Reshaping:
    """Collects the corrections of one document; each problem's patch can be applied alone."""

    def __init__(self, inner: JsonObject, root: str) -> None:
        self._inner = inner
        self._root = root
        self.problems: list[Problem] = []

    @property
    def operations(self) -> list[Operation]:
        return [one for problem in self.problems for one in problem.patch or ()]

    def run(self) -> None:
        """Correct nodes, then edges."""
        key, moved = self._key_of_nodes()
        if key is None:
            self._flow_nodes()
            return
        given = self._inner[key]
        nodes = given if isinstance(given, list) else as_list(given) or flow_nodes_in(given)
        if nodes is None or len(nodes) > MAX_PARTS:
            return
        if _is_flow(self._inner, nodes):
            if nodes is not given and are_flow_nodes(nodes):
                operation = {"op": "replace", "path": f"{self._root}{pointer(key)}", "value": nodes}
                self._flow_nodes_told(key, operation)
            self._flow_edges({**self._inner, "nodes": nodes})
            return
        if nodes is not given:
            path = f"{self._root}{pointer(key)}"
            moved = [{"op": "replace", "path": path, "value": nodes}, *moved]
        dialect = dialect_of(nodes)
        by_id = _by_id({"nodes": nodes})
        self._nodes(nodes, dialect, key, moved, by_id)
        if self.problems:
            by_id = _by_id(apply_patch({"nodes": nodes}, self._within(self.operations)))
        self._edges(by_id, dialect)
        self._triggers()
        self._other_triggers(by_id)
        self._schema()
        self._name()

    def _key_of_nodes(self) -> tuple[str | None, list[Operation]]:
        if "nodes" in self._inner:
            return "nodes", []
        found = node_lists(self._inner)
        if len(found) != 1:
            return None, []
        source = f"{self._root}{pointer(found[0])}"
        return found[0], [{"op": "move", "from": source, "path": f"{self._root}/nodes"}]

    def _within(self, operations: list[Operation]) -> list[Operation]:
        """The operations on single nodes, as of a document that has only them."""
        at = f"{self._root}/nodes/"
        return [
            {
                name: str(one).removeprefix(self._root) if name in {"path", "from"} else one
                for name, one in operation.items()
            }
            for operation in operations
            if str(operation["path"]).startswith(at)
        ]

    def _nodes(
        self,
        nodes: list[Json],
        dialect: Dialect,
        key: str,
        moved: list[Operation],
        ids: Collection[str],
    ) -> None:
        unnamed = self._ends() - {*ids} if len(ids) < len(nodes) else frozenset[str]()
        found = {
            at: operations
            for at, one in enumerate(nodes)
            if isinstance(one, dict)
            and (
                operations := node_operations(
                    one, f"{self._root}/nodes/{at}", dialect, ids, unnamed
                )
            )
        }
        message = _told(dialect)
        if moved or len(found) > 1:
            operations = [*moved, *(one for at in found for one in found[at])]
            if operations:
                told = f"the nodes are in the form of another system; {message}"
                self.problems.append(_problem(f"{self._root}{pointer(key)}", told, operations))
            return
        for operations in found.values():
            place = str(operations[-1].get("from", operations[-1]["path"]))
            self.problems.append(
                _problem(place, f"the node is in another form; {message}", operations)
            )

    def _ends(self) -> frozenset[str]:
        """The texts in the edges; each may be the id of a node."""
        listed = self._inner.get("connections") or self._inner.get("edges")
        edges = listed if isinstance(listed, list) else []
        texts = (one for edge in edges if isinstance(edge, dict) for one in edge.values())
        return frozenset(one for one in texts if isinstance(one, str))

    def _edges(self, nodes: dict[str, JsonObject], dialect: Dialect) -> None:
        key, moved = self._key_of_edges(nodes)
        if key is None:
            return
        given = self._inner[key]
        place, to = f"{self._root}{pointer(key)}", f"{self._root}/connections"
        message = _told(dialect)
        listed = edge_list(given, nodes, dialect)
        if listed is not None:
            moved = [{"op": "replace", "path": place, "value": listed}, *moved]
            given = listed
        if not isinstance(given, list) or len(given) > MAX_PARTS:
            return
        source = source_key(given, nodes)
        if dialect == "agent-team" and not moved:
            self.problems += named_ends(given, nodes, to)
        found = {
            at: operations
            for at, one in enumerate(given)
            if (operations := edge_operations(one, f"{to}/{at}", dialect, nodes, source))
        }
        if moved or (len(found) > 1 and len(found) == len(given)):
            operations = [*moved, *(one for at in found for one in found[at])]
            if operations:
                told = f"the edges are in the form of another system; {message}"
                self.problems.append(_problem(place, told, operations))
            return
        for at, operations in found.items():
            told = f"the edge is in another form; {message}"
            self.problems.append(_problem(f"{to}/{at}", told, operations))

    def _flow_nodes(self) -> None:
        """The nodes of a flow under another word."""
        if (key := key_of_nodes(self._inner)) is not None:
            source, to = f"{self._root}{pointer(key)}", f"{self._root}/nodes"
            self._flow_nodes_told(key, {"op": "move", "from": source, "path": to})
            rest = {name: one for name, one in self._inner.items() if name != key}
            self._flow_edges({**rest, "nodes": self._inner[key]})

    def _flow_nodes_told(self, key: str, operation: Operation) -> None:
        told = "the nodes are in the form of another system; a flow has them in the list 'nodes'"
        self.problems.append(_problem(f"{self._root}{pointer(key)}", told, [operation]))

    def _flow_edges(self, flow: JsonObject) -> None:
        place, operations = flow_operations(flow, self._root)
        if operations:
            told = "the edges are in the form of another dialect; a flow has 'edges' with "
            told += "'source' and 'target'"
            self.problems.append(_problem(place, told, operations))

    def _triggers(self) -> None:
        """Triggers are named by their ids, not repeated as objects."""
        given = self._inner.get("triggers")
        listed = given if isinstance(given, list) else []
        for at, one in enumerate(listed):
            identity = one.get("id") if isinstance(one, dict) else None
            if isinstance(identity, str):
                place = f"{self._root}/triggers/{at}"
                told = f"the trigger is an object; expected its id, {identity!r}"
                operation = {"op": "replace", "path": place, "value": identity}
                self.problems.append(_problem(place, told, [operation]))

    def _other_triggers(self, nodes: dict[str, JsonObject]) -> None:
        """Triggers are nodes of that type: a list that names another node means all of them."""
        given = self._inner.get("triggers")
        listed = given if isinstance(given, list) else []
        of_type = [name for name, node in nodes.items() if node.get("type") == _TRIGGER]
        for at, one in enumerate(listed):
            kind = nodes[one].get("type") if isinstance(one, str) and one in nodes else None
            if of_type and kind in NODE_TYPES and kind != _TRIGGER:
                place = f"{self._root}/triggers"
                told = f"{one!r} is no trigger: its type is {kind!r}"
                operation = {"op": "replace", "path": place, "value": of_type}
                problem = _problem(f"{place}/{at}", told, [operation])
                self.problems.append(replace(problem, severity="warning"))
                return

    def _name(self) -> None:
        """The name under a word that other systems have for it."""
        metadata = self._inner.get("metadata")
        if "name" in self._inner or (isinstance(metadata, dict) and "name" in metadata):
            return
        found = [key for key in _TITLES if isinstance(self._inner.get(key), str)]
        if len(found) == 1:
            place = f"{self._root}{pointer(found[0])}"
            move = {"op": "move", "from": place, "path": f"{self._root}/name"}
            self.problems.append(_problem(place, "expected the key 'name'", [move]))

    def _schema(self) -> None:
        """The schema of the input under a key that only nearly is its own."""
        if "inputSchema" in self._inner:
            return
        found = [
            key
            for key, value in self._inner.items()
            if isinstance(value, dict)
            and "properties" in value
            and meant_key(key, ("inputSchema",))
        ]
        if len(found) == 1:
            place = f"{self._root}{pointer(found[0])}"
            move = {"op": "move", "from": place, "path": f"{self._root}/inputSchema"}
            self.problems.append(_problem(place, "expected the key 'inputSchema'", [move]))

    def _key_of_edges(self, nodes: dict[str, JsonObject]) -> tuple[str | None, list[Operation]]:
        if self._inner.get("connections"):
            return "connections", []
        found = edge_lists(self._inner, nodes)
        if len(found) != 1:
            return None, []
        source, to = f"{self._root}{pointer(found[0])}", f"{self._root}/connections"
        emptied: list[Operation] = []
        if "connections" in self._inner:
            emptied = [{"op": "remove", "path": to}]
        return found[0], [*emptied, {"op": "move", "from": source, "path": to}]


def _by_id(document: Json) -> dict[str, JsonObject]:
    nodes = document.get("nodes") if isinstance(document, dict) else None
    return {
        identity: one
        for one in (nodes if isinstance(nodes, list) else ())
        if isinstance(one, dict) and isinstance(identity := one.get("id"), str)
    }


def _is_flow(document: JsonObject, nodes: list[Json]) -> bool:
    """Whether it is a flow, whose edges have a source and a target."""
    kinds = [one.get("type") for one in nodes if isinstance(one, dict)]
    if any(isinstance(kind, str) and kind in FLOW_TYPES for kind in kinds):
        return True
    edges = document.get("edges")
    if not isinstance(edges, list):
        return False
    # Nor has a flow nodes with their parts beside the type.
    if dialect_of(nodes) == "agent-team" and all(map(is_known_type, kinds)):
        return False
    # No edge of a flow has the keys of another dialect.
    is_other = [isinstance(one, dict) and not _OTHER_ENDS.isdisjoint(one) for one in edges]
    if edges and all(is_other) and all(map(is_known_type, kinds)):
        return False
    if any(isinstance(one, dict) and _is_flow_edge(one) for one in edges):
        return True
    metadata = document.get("metadata")
    is_named = isinstance(metadata, dict) and "name" in metadata
    return is_named or not any(map(is_known_type, kinds))


def _is_flow_edge(edge: JsonObject) -> bool:
    data = edge.get("data")
    inner = data.get("connectionType") if isinstance(data, dict) else None
    return edge.get("type") in _FLOW_KINDS or inner in _FLOW_KINDS
