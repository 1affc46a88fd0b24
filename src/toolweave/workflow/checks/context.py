"""The input of a check: one workflow, its environment, and cached lookups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar
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

T = TypeVar("T")


@dataclass(frozen=True)
class NodePart:
    """The schemas of one part of a catalog node's data."""

    judge: CompiledSchemas
    # The same without required fields, which may come from an edge.
    fed: CompiledSchemas
    # Fields in which null is a value and does not mean "not set"; None for all fields.
    of_any: frozenset[str] | None

    @cached_property
    def fed_takes_nothing(self) -> bool:
        """Whether nothing need be given if an edge leads to the node."""
        return isinstance(self.fed.schema.get("properties"), dict) and self.fed.takes_nothing


@dataclass(frozen=True, slots=True)
class RequiredInput:
    """A required input of a node, all its names and its schema."""

    field: Field
    names: tuple[str, ...]
    shape: ValueShape


@dataclass(slots=True)
class SpecFacts:
    """Facts derived from specifications, by their names, which are unique in a catalog."""

    needed: dict[str, tuple[RequiredInput, ...]] = field(
        default_factory=dict[str, tuple[RequiredInput, ...]]
    )
    taken: dict[tuple[str, str], ValueShape] = field(
        default_factory=dict[tuple[str, str], ValueShape]
    )
    given: dict[str, NodeOutputs] = field(default_factory=dict[str, NodeOutputs])
    # What checks derive from a specification, by the function that makes it and its name.
    # Any: each has its own type.
    derived: dict[tuple[object, str], Any] = field(default_factory=dict[tuple[object, str], Any])
    # The schemas of tools, by server and name.
    tools: dict[tuple[str, str], CompiledSchemas] = field(
        default_factory=dict[tuple[str, str], CompiledSchemas]
    )

    def of_spec(self, make: Callable[[NodeSpec], T], spec: NodeSpec) -> T:
        """Return what `make` gives for a specification, worked out when first asked for."""
        key = make, spec.ref
        try:
            return self.derived[key]
        except KeyError:
            made = self.derived[key] = make(spec)
            return made


# A cache of a pure function; it lives as long as its catalog.
_MADE: WeakKeyDictionary[Catalog, SpecFacts] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class KnownHome:
    """The resources of a home that nodes refer to."""

    # Names and providers of the configured models.
    models: frozenset[str]
    # Registered commands, and whether each is approved.
    commands: Mapping[str, bool]
    # Approved servers, with their addresses where they have one.
    servers: Mapping[str, str | None]
    # The placeholders of each command.
    arguments: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    # The names in the vault; None if they are not known.
    secrets: frozenset[str] | None = None
    # Registered servers that nobody has approved.
    unapproved: frozenset[str] = frozenset()
    # Whether nodes may connect to this machine and its private network.
    allows_private: bool = False


@dataclass(frozen=True, slots=True)
class KnownEnvironment:
    """The environment a workflow is checked against."""

    catalog: Catalog
    now: datetime
    # The tools of live servers by name, if requested: then a missing tool is a problem.
    tools: LiveTools | None = None
    # Registered servers that were asked for their tools and did not answer, with the reason.
    unreachable: Mapping[str, str] = field(default_factory=dict[str, str])
    # The approved tools; servers that are not listed are not checked.
    pinned: LiveTools | None = None
    # The names of the files of stored workflows, if known.
    workflows: frozenset[str] | None = None
    # Other resources that nodes refer to; None without a home.
    home: KnownHome | None = None
    # Whether the workflow is about to run, so that everything it needs must exist.
    is_run: bool = False

    @property
    def made(self) -> SpecFacts:
        """Return the facts derived from the specifications, computed once."""
        found = _MADE.get(self.catalog)
        return _MADE.setdefault(self.catalog, SpecFacts()) if found is None else found

    def tools_of(self, server: str) -> Sequence[Tool] | None:
        """Return the tools of a server: the live ones, else the approved ones."""
        for look in (self.tools, self.pinned):
            if look is not None and (tools := look(server)) is not None:
                return tools
        return None


@dataclass(frozen=True)
class CheckContext:
    """One workflow under check; a sub-flow has its own context within `whole`."""

    workflow: Workflow
    known: KnownEnvironment
    format: FormatName = "toolweave"
    whole: Workflow | None = field(default=None)
    # What several checks work out, by the function that makes it. Any: each has its own type.
    _made: dict[object, Any] = field(default_factory=dict[object, Any], repr=False, compare=False)

    def once(self, make: Callable[["CheckContext"], T]) -> T:
        """Return what `make` gives for this workflow, worked out when first asked for."""
        try:
            return self._made[make]
        except KeyError:
            made = self._made[make] = make(self)
            return made

    def forget(self) -> None:
        """Drop what was worked out: some of it refers to this, and would wait to be collected."""
        self._made.clear()

    @property
    def is_subflow(self) -> bool:
        """Whether this is a sub-flow of another workflow."""
        return self.whole is not None

    @cached_property
    def graph(self) -> Graph:
        """The graph without edges to unknown nodes and without later nodes of the same id."""
        return Graph(self.workflow)

    @cached_property
    def made(self) -> SpecFacts:
        """The facts derived from the specifications."""
        return self.known.made

    @cached_property
    def specs(self) -> tuple[NodeSpec | None, ...]:
        """The specification of every node by its index; None for nodes without one."""
        found = self.known.catalog.get
        return tuple(
            [
                # Without a name of a catalog node, it is none.
                None if node.ref is None else found(node.type, str(node.data["subtype"]))
                for node in self.workflow.nodes
            ]
        )

    @cached_property
    def _spec_of(self) -> dict[str, NodeSpec | None]:
        known, nodes = self.graph.nodes, self.workflow.nodes
        if len(known) == len(nodes):
            return dict(zip(known, self.specs, strict=True))
        # Of several nodes with one id, the first counts.
        found = zip(reversed(nodes), reversed(self.specs), strict=True)
        return {node.id: spec for node, spec in found}

    @cached_property
    def _first(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for index, node in enumerate(self.workflow.nodes):
            places.setdefault(node.id, index)
        return places

    def spec(self, node: Node) -> NodeSpec | None:
        """Return the specification of a catalog node; None for other and unknown nodes."""
        return self._spec_of[node.id]

    def at(self, node: Node, *steps: str | int) -> str:
        """Return a pointer into a node of the canonical document: `/nodes/3/data/subtype`."""
        return pointer("nodes", self._first[node.id], *steps)

    def at_edge(self, index: int, *steps: str | int) -> str:
        """Return a pointer into an edge, by its index."""
        return pointer("connections", index, *steps)

    @cached_property
    def said_edges(self) -> list[tuple[int, Edge]]:
        """The edges with a condition or unknown keys: few."""
        return [one for one in self.edges if one[1].condition or one[1].extras]

    @cached_property
    def edges(self) -> tuple[tuple[int, Edge], ...]:
        """Every edge with its index, including edges to unknown nodes."""
        return tuple(enumerate(self.workflow.edges))
