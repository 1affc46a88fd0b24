"""The catalog itself: every specification by type and subtype, and live tools beside them."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from toolweave.catalog.names import NameIndex, read_names, skeleton, words_of
from toolweave.catalog.spec import NODE_TYPES, NodeSpec
from toolweave.errors import Conflict


class Catalog:
    """Immutable; a change of the connected servers makes a new one."""

    def __init__(self, specs: Iterable[NodeSpec]) -> None:
        self._by_name: dict[tuple[str, str], NodeSpec] = {}
        self._by_type: dict[str, list[NodeSpec]] = {node_type: [] for node_type in NODE_TYPES}
        for spec in specs:
            if (spec.type, spec.subtype) in self._by_name:
                raise Conflict("SPEC_TWICE", f"two nodes have the name {spec.ref!r}")
            self._by_name[spec.type, spec.subtype] = spec
            self._by_type[spec.type].append(spec)

    def __iter__(self) -> Iterator[NodeSpec]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, node_type: str, subtype: str) -> NodeSpec | None:
        """The specification by its exact names."""
        return self._by_name.get((node_type, subtype))

    def of_type(self, node_type: str) -> list[NodeSpec]:
        """The specifications of one type, ours first."""
        return self._by_type.get(node_type, [])

    def types(self, only: str | None = None) -> dict[str, list[str]]:
        """Types in catalog order, each with its subtypes."""
        return {
            node_type: [spec.subtype for spec in specs]
            for node_type, specs in self._by_type.items()
            if specs and only in {None, node_type}
        }

    def with_specs(self, more: Iterable[NodeSpec]) -> "Catalog":
        """This catalog and the specifications of live tools."""
        return Catalog([*self, *more])

    @cached_property
    def tools_by_server(self) -> dict[str, dict[str, list[NodeSpec]]]:
        """The live tools by the letters of their server's name and of their own."""
        found: dict[str, dict[str, list[NodeSpec]]] = {}
        for spec in self.of_type("TOOL"):
            if spec.origin is not None:
                tools = found.setdefault(skeleton(words_of(spec.origin.server)), {})
                tools.setdefault(skeleton(words_of(spec.origin.tool)), []).append(spec)
        return found

    @cached_property
    def names(self) -> NameIndex:
        """Every name by the forms it is written in."""
        return read_names(self)
