"""What a check looks at: one workflow, what is known around it, and look-ups made once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from weakref import WeakKeyDictionary

from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.problems import pointer
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.graph import Graph
from toolweave.workflow.mode_status import LiveTools
from toolweave.workflow.model import Edge, Node, Workflow
from toolweave.workflow.scope.node_outputs import NodeOutputs
from toolweave.workflow.shapes import ValueShape


@dataclass(frozen=True, slots=True)
class NodePart:
    """What may stand in one part of a catalog node's data."""

    judge: CompiledSchemas
    # The same where nothing is missed, as it may come in.
    fed: CompiledSchemas
    # Fields in which null is a value, as it says of others that they are not set; nothing if all.
    of_any: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Needed:
    """An input that a node cannot do without, all its names and what it has to be."""

    field: Field
    names: tuple[str, ...]
    shape: ValueShape


@dataclass(slots=True)
class Made:
    """What follows of specifications, by their names, which a catalog has once."""

    parts: dict[tuple[str, str], NodePart] = field(default_factory=dict[tuple[str, str], NodePart])
    needed: dict[str, tuple[Needed, ...]] = field(default_factory=dict[str, tuple[Needed, ...]])
    taken: dict[tuple[str, str], ValueShape] = field(
        default_factory=dict[tuple[str, str], ValueShape]
    )
    given: dict[str, NodeOutputs] = field(default_factory=dict[str, NodeOutputs])


# A memo of a pure function: what it holds never shows, and goes with its catalog.
_MADE: WeakKeyDictionary[Catalog, Made] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class KnownHome:
    """What a home has that nodes name."""

    # Names and providers of configured models.
    models: frozenset[str]
    # Registered commands, and whether each is approved.
    commands: Mapping[str, bool]
    # Approved servers, with their addresses where they have one.
    servers: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class KnownEnvironment:
    """The world a workflow is checked against."""

    catalog: Catalog
    now: datetime
    # The tools of live servers by name, where that was asked for: then a missing one is a problem.
    tools: LiveTools | None = None
    # The tools as they were approved; nothing is said of a server that is not among them.
    pinned: LiveTools | None = None
    # The names of stored workflows, where they are known.
    workflows: frozenset[str] | None = None
    # What nodes name besides; nothing is said of it where no home is looked at.
    home: KnownHome | None = None
    # Whether it is to be run now: what it needs then must be there.
    is_run: bool = False

    @property
    def made(self) -> Made:
        """What follows from specifications alone, worked out once for as long as they live."""
        return _MADE.setdefault(self.catalog, Made())

    def tools_of(self, server: str) -> Sequence[Tool] | None:
        """The tools of a server: as it says now, else as they were approved."""
        for look in (self.tools, self.pinned):
            if look is not None and (tools := look(server)) is not None:
                return tools
        return None


@dataclass(frozen=True)
class CheckContext:
    """One workflow under check; a sub-flow is a case of its own within `whole`."""

    workflow: Workflow
    known: KnownEnvironment
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
    def made(self) -> Made:
        """What follows from the specifications."""
        return self.known.made

    @cached_property
    def specs(self) -> tuple[NodeSpec | None, ...]:
        """The specification of every node by its number, nothing for those that have none."""
        found = self.known.catalog.get
        return tuple(
            found(node.type, subtype)
            if isinstance(subtype := node.data.get("subtype"), str)
            else None
            for node in self.workflow.nodes
        )

    @cached_property
    def _spec_of(self) -> dict[str, NodeSpec | None]:
        # Of nodes with one id the first counts.
        nodes = reversed(self.workflow.nodes)
        return {node.id: spec for node, spec in zip(nodes, reversed(self.specs), strict=True)}

    @cached_property
    def _first(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for index, node in enumerate(self.workflow.nodes):
            places.setdefault(node.id, index)
        return places

    def spec(self, node: Node) -> NodeSpec | None:
        """The specification of a catalog node; nothing for others and for unknown ones."""
        return self._spec_of[node.id]

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
