"""What a check looks at: one workflow, what is known around it, and look-ups made once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.problems import pointer
from toolweave.tools.tool import Tool
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.graph import Graph
from toolweave.workflow.mode_status import LiveTools
from toolweave.workflow.model import Edge, Node, Workflow
from toolweave.workflow.shapes import Shape


@dataclass(slots=True)
class Made:
    """Schemas and shapes of specifications by their names, which a catalog has once."""

    schemas: dict[str, dict[str, JsonObject]] = field(
        default_factory=dict[str, dict[str, JsonObject]]
    )
    taken: dict[tuple[str, str], Shape] = field(default_factory=dict[tuple[str, str], Shape])
    given: dict[str, Shape] = field(default_factory=dict[str, Shape])


@dataclass(frozen=True, slots=True)
class Known:
    """The world a workflow is checked against."""

    catalog: Catalog
    now: datetime
    # The tools of live servers by name, where that was asked for: then a missing one is a problem.
    tools: LiveTools | None = None
    # The tools as they were approved; nothing is said of a server that is not among them.
    pinned: LiveTools | None = None
    # The names of stored workflows, where they are known.
    workflows: frozenset[str] | None = None
    # What follows from specifications alone, worked out once for all workflows checked by this.
    made: "Made" = field(default_factory=lambda: Made(), compare=False, repr=False)

    def tools_of(self, server: str) -> Sequence[Tool] | None:
        """The tools of a server: as it says now, else as they were approved."""
        for look in (self.tools, self.pinned):
            if look is not None and (tools := look(server)) is not None:
                return tools
        return None


@dataclass(frozen=True)
class Case:
    """One workflow under check; a sub-flow is a case of its own within `whole`."""

    workflow: Workflow
    known: Known
    format: FormatName = "toolweave"
    whole: Workflow | None = field(default=None)

    @property
    def is_subflow(self) -> bool:
        """Whether this is a sub-flow of another workflow."""
        return self.whole is not None

    @cached_property
    def graph(self) -> Graph:
        """The graph; edges to unknown nodes and later nodes of the same id are left out."""
        return Graph(self.workflow)

    @cached_property
    def _specs(self) -> dict[int, NodeSpec]:
        found: dict[int, NodeSpec] = {}
        for index, node in enumerate(self.workflow.nodes):
            subtype = node.data.get("subtype")
            if isinstance(subtype, str) and (spec := self.known.catalog.get(node.type, subtype)):
                found[index] = spec
        return found

    @cached_property
    def _first(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for index, node in enumerate(self.workflow.nodes):
            places.setdefault(node.id, index)
        return places

    def spec(self, node: Node) -> NodeSpec | None:
        """The specification of a catalog node; nothing for others and for unknown ones."""
        return self._specs.get(self._first[node.id])

    def at(self, node: Node, *steps: str | int) -> str:
        """The place of something in a node of the canonical document: `/nodes/3/data/subtype`."""
        return pointer("nodes", self._first[node.id], *steps)

    def at_edge(self, index: int, *steps: str | int) -> str:
        """The place of something in an edge, by its number."""
        return pointer("connections", index, *steps)

    @cached_property
    def edges(self) -> tuple[tuple[int, Edge], ...]:
        """Every edge with its number, also those that lead nowhere."""
        return tuple(enumerate(self.workflow.edges))
