"""The document every dialect is read into: nodes, edges, and unknown fields.

Frozen; a change is a function that returns a new value. Shape only: what needs a catalog, a
server list or the rest of the graph is a check (`checks/`). `data` is a node's own JSON in
canonical spelling (formats.md §1); `extras` are unknown fields of the file, kept so that
saving loses nothing. `kept` is the spelling of the original file; only `formats` reads it, and it
is not part of the equality of workflows.
"""

from dataclasses import dataclass, field
from typing import NewType, TypeVar, dataclass_transform

from toolweave.json_text import JsonObject

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
WorkflowId = NewType("WorkflowId", str)

SCHEMA_VERSION = "1.3.0"

INPUT_PORT = "input"
OUTPUT_PORT = "output"
# What other systems call the only output port.
SAME_AS_OUTPUT = frozenset({"main", "result"})


T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _many(cls: type[T]) -> type[T]:
    """A frozen dataclass for pyright; at run time a plain one, which is made in half the time."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


def _nothing() -> JsonObject:
    # `dict[str, Json]()` takes six times as long, and files have thousands of nodes.
    return {}


@_many
class Position:
    """Where a node is drawn."""

    x: float
    y: float


@_many
class Node:
    """One step, decision, group or note of a workflow.

    `type` is written as in the file: `start`, `mcp`, `ifElse`, … of the editor, `template`,
    `multi_input`, `result` of flows, or a catalog type such as `FLOW` with `data.subtype`.
    """

    id: NodeId
    type: str
    name: str
    position: Position | None = None
    data: JsonObject = field(default_factory=_nothing)
    parent: NodeId | None = None  # the group it is in
    extras: JsonObject = field(default_factory=_nothing)
    kept: JsonObject = field(default_factory=_nothing, compare=False, repr=False)
    # `FLOW.IF` for a catalog node, None for others.
    ref: str | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        subtype = self.data.get("subtype")
        is_catalog = isinstance(subtype, str) and self.type.isupper()
        ref = f"{self.type}.{subtype}" if is_catalog else None
        self.ref = ref  # pyright: ignore[reportAttributeAccessIssue] # frozen, and made just now

    @property
    def title(self) -> str:
        """The display name: its name, or its id if it has none."""
        return self.name or self.id


@_many
class Edge:
    """A connection; ports are spelt canonically (`output`, `input`, `branch-1`, `true`, …)."""

    id: EdgeId
    source: NodeId
    target: NodeId
    source_port: str = OUTPUT_PORT
    target_port: str = INPUT_PORT
    # The dialect's kind of edge, if it has one: data, chain, result.
    kind: str | None = None
    condition: str | None = None
    extras: JsonObject = field(default_factory=_nothing)
    kept: JsonObject = field(default_factory=_nothing, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow; sub-flows are workflows by id."""

    id: WorkflowId
    name: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    description: str | None = None
    version: str = "1.0.0"
    schema_version: str = SCHEMA_VERSION
    created_at: str | None = None
    updated_at: str | None = None
    metadata: JsonObject = field(default_factory=_nothing)
    subflows: "tuple[Workflow, ...]" = ()
    extras: JsonObject = field(default_factory=_nothing)
    kept: JsonObject = field(default_factory=_nothing, compare=False, repr=False)

    def node(self, node_id: str) -> Node | None:
        """Return the node with this id; the first one if there are several."""
        return next((node for node in self.nodes if node.id == node_id), None)
