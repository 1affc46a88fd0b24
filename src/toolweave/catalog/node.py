"""The contract a node fulfils: what the `node` of a module in the room `nodes` is."""

from typing import Protocol

from toolweave.catalog.spec import NodeSpec


class Node(Protocol):
    """A kind of node: its specification, beside the code that runs it."""

    @property
    def spec(self) -> NodeSpec:
        """Everything about it but its code."""
        ...
