"""The one document every dialect is read into: nodes, edges, and what we do not understand.

Frozen; a change is a function that returns a new value. Shape only: what needs a catalog, a
server list or the rest of the graph is a check (`checks/`). `data` is a node's own JSON in
canonical spelling (formats.md §1); `extras` are fields of the file that nobody here knows, kept
so that saving loses nothing. `kept` is how files of some dialect spelt the thing; only `formats`
reads it, and it is no part of what two workflows are compared by.
"""

from dataclasses import dataclass, field
from typing import NewType

from toolweave.json_text import Json, JsonObject

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
WorkflowId = NewType("WorkflowId", str)

SCHEMA_VERSION = "1.3.0"

INPUT_PORT = "input"
OUTPUT_PORT = "output"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node is drawn."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Node:
    """One step, decision, group or note of a workflow.

    `type` is the file's own word: `start`, `mcp`, `ifElse`, … of the drawing tool, `template`,
    `multi_input`, `result` of flows, or a catalog type such as `FLOW` with `data.subtype`.
    """

    id: NodeId
    type: str
    name: str
    position: Position | None = None
    data: JsonObject = field(default_factory=dict[str, Json])
    parent: NodeId | None = None  # the group it stands in
    extras: JsonObject = field(default_factory=dict[str, Json])
    kept: JsonObject = field(default_factory=dict[str, Json], compare=False, repr=False)

    @property
    def title(self) -> str:
        """What to call it before people: its name, or its id where the file has none."""
        return self.name or self.id

    @property
    def ref(self) -> str | None:
        """`FLOW.IF` for a catalog node, nothing for the others."""
        subtype = self.data.get("subtype")
        return (
            f"{self.type}.{subtype}" if isinstance(subtype, str) and self.type.isupper() else None
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection; ports are spelt canonically (`output`, `input`, `branch-1`, `true`, …)."""

    id: EdgeId
    source: NodeId
    target: NodeId
    source_port: str = OUTPUT_PORT
    target_port: str = INPUT_PORT
    # What the edge means in its dialect, where it means more than "then": data, chain, result.
    kind: str | None = None
    condition: str | None = None
    extras: JsonObject = field(default_factory=dict[str, Json])
    kept: JsonObject = field(default_factory=dict[str, Json], compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A whole workflow; sub-flows are workflows of their own, named by id."""

    id: WorkflowId
    name: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    description: str | None = None
    version: str = "1.0.0"
    schema_version: str = SCHEMA_VERSION
    created_at: str | None = None
    updated_at: str | None = None
    metadata: JsonObject = field(default_factory=dict[str, Json])
    subflows: "tuple[Workflow, ...]" = ()
    extras: JsonObject = field(default_factory=dict[str, Json])
    kept: JsonObject = field(default_factory=dict[str, Json], compare=False, repr=False)

    def node(self, node_id: str) -> Node | None:
        """The node with this id; the first one where a broken file has two."""
        return next((node for node in self.nodes if node.id == node_id), None)
