"""What many checks ask of every node, worked out once for a workflow. Not a check.

A check asks for the nodes it applies to: those of a kind, those whose specification has something,
those with a sign in their texts. Most checks have nothing to say about most nodes.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import corrected_specs
from toolweave.workflow.checks.kinds import WELL_KNOWN, type_of
from toolweave.workflow.model import Node

T = TypeVar("T")

_PARTS = ("configurations", "inputParams", "parameterValues")
_CONTAINERS = frozenset({dict, list})
_NOTHING: JsonObject = {}
_NO_PARTS = [_NOTHING] * len(_PARTS)
_OBJECT = {dict}


# As `NodeInput`: not frozen, because every node has one; nobody changes it.
@dataclass(slots=True)
class NodeFacts:
    """One node with its place and the parts of its data; a part that is no object is empty."""

    index: int
    node: Node
    # Of a catalog node, also of one whose name is misspelt.
    spec: NodeSpec | None
    # Its type with a misspelling corrected.
    kind: str
    settings: JsonObject
    inputs: JsonObject
    # What an MCP node passes to its tool.
    values: JsonObject
    # The texts directly in these parts, joined: a sign that is not here is in none of them.
    texts: str
    # Whether a part has an object or a list in it, or is something else than an object.
    is_nested: bool
    # Whether a text, or what is in such a part, may have a template.
    may_ask: bool

    @property
    def place(self) -> str:
        """The pointer to the node's data."""
        return f"/nodes/{self.index}/data"

    @property
    def is_enabled(self) -> bool:
        """Whether the node runs; problems of a disabled node do not matter."""
        return self.settings.get("enabled") is not False


class NodeTable:
    """The nodes of a workflow by what checks ask for."""

    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self.nodes = _all(case)
        self.catalog = [one for one in self.nodes if one.spec is not None]
        self.nested = [one for one in self.nodes if one.is_nested]
        self._by_kind: dict[str, list[NodeFacts]] = {}
        self._by_spec: dict[str, list[NodeFacts]] = {}
        for one in self.nodes:
            self._by_kind.setdefault(one.kind, []).append(one)
        for one in self.catalog:
            self._by_spec.setdefault(one.spec.ref if one.spec else "", []).append(one)
        # Of several nodes with one id, edges and references mean the first.
        known = case.graph.nodes
        has_twins = len(known) < len(self.nodes)
        self.first = (
            [one for one in self.nodes if known[one.node.id] is one.node]
            if has_twins
            else self.nodes
        )

    @cached_property
    def texts(self) -> str:
        """The texts of all nodes, joined: a sign that is not here is in no node."""
        return "\n".join([one.texts for one in self.nodes if one.texts])

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the data of all nodes, and their unknown ones beside it."""
        data = chain.from_iterable([one.node.data for one in self.nodes])
        return frozenset(data).union(*[one.node.extras for one in self.nodes if one.node.extras])

    @cached_property
    def grouped(self) -> list[NodeFacts]:
        """The nodes that are in a group."""
        return [one for one in self.nodes if one.node.parent is not None]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the parts of all nodes."""
        found: set[str] = set()
        for one in self.nodes:
            found.update(one.settings, one.inputs, one.values)
        return frozenset(found)

    def of_kinds(self, kinds: Collection[str]) -> list[NodeFacts]:
        """Return the nodes of some kinds, one kind after the other."""
        return [one for kind, nodes in self._by_kind.items() if kind in kinds for one in nodes]

    def of_refs(self, refs: Collection[str]) -> list[NodeFacts]:
        """Return the catalog nodes of some specifications, one after the other."""
        return [one for ref, nodes in self._by_spec.items() if ref in refs for one in nodes]

    def having(
        self, make: Callable[[NodeSpec], T | None]
    ) -> Iterator[tuple[NodeFacts, NodeSpec, T]]:
        """Yield the catalog nodes for whose specification `make` gives something, with both.

        The nodes of one specification come one after the other.
        """
        derived = self._case.made.derived
        for ref, nodes in self._by_spec.items():
            # What there is nothing of for a specification is known after the first workflow.
            key = make, ref
            if key in derived and not derived[key]:
                continue
            spec = nodes[0].spec
            if spec is not None and (made := self._case.made.of_spec(make, spec)):
                for one in nodes:
                    yield one, spec, made


def node_table(case: CheckContext) -> NodeTable:
    """Return the nodes of a workflow with what checks share about them."""
    return case.once(NodeTable)


def _all(case: CheckContext) -> list[NodeFacts]:
    specs = corrected_specs(case)
    found: list[NodeFacts] = []
    for index, (node, spec) in enumerate(zip(case.workflow.nodes, specs, strict=True)):
        # Any: of any type until they are looked at.
        parts: list[Any] = [*map(node.data.get, _PARTS, _NO_PARTS)]
        is_nested = False
        if {*map(type, parts)} != _OBJECT:
            is_nested = any(part is not None and not isinstance(part, dict) for part in parts)
            parts = [part if isinstance(part, dict) else _NOTHING for part in parts]
        settings, inputs, values = parts
        held = [*settings.values(), *inputs.values(), *values.values()]
        is_nested = is_nested or not _CONTAINERS.isdisjoint(map(type, held))
        texts = "\n".join([one for one in held if isinstance(one, str)])
        kind = node.type if node.type in WELL_KNOWN else type_of(node)
        may_ask = is_nested or "{{" in texts
        found.append(
            NodeFacts(index, node, spec, kind, settings, inputs, values, texts, is_nested, may_ask)
        )
    return found
