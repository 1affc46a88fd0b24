"""The catalog itself: every specification by type and subtype, and live tools beside them."""

from collections.abc import Iterable, Iterator

from toolweave.catalog.spec import NODE_TYPES, NodeSpec
from toolweave.errors import Conflict


class Catalog:
    """Immutable; a change of the connected servers makes a new one."""

    def __init__(self, specs: Iterable[NodeSpec]) -> None:
        self._by_ref: dict[str, NodeSpec] = {}
        for spec in specs:
            if spec.ref in self._by_ref:
                raise Conflict("SPEC_TWICE", f"two nodes are called {spec.ref!r}")
            self._by_ref[spec.ref] = spec

    def __iter__(self) -> Iterator[NodeSpec]:
        return iter(self._by_ref.values())

    def __len__(self) -> int:
        return len(self._by_ref)

    def get(self, node_type: str, subtype: str) -> NodeSpec | None:
        """The specification by its exact names."""
        return self._by_ref.get(f"{node_type}.{subtype}")

    def types(self, only: str | None = None) -> dict[str, list[str]]:
        """Types in the seed's order, each with its subtypes."""
        found: dict[str, list[str]] = {
            node_type: [] for node_type in NODE_TYPES if only in (None, node_type)
        }
        for spec in self:
            if spec.type in found:
                found[spec.type].append(spec.subtype)
        return {node_type: subtypes for node_type, subtypes in found.items() if subtypes}

    def with_specs(self, more: Iterable[NodeSpec]) -> "Catalog":
        """This catalog and the specifications of live tools."""
        return Catalog([*self, *more])
