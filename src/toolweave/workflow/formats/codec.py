"""What a dialect's file says: its natural mapping to the model, lossy either way.

`lossless.py` makes a `Format` of it that loses nothing, so a codec maps what has a counterpart
and does not care about the rest. Readers never raise; what they cannot use they note.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.fields import Notes
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Edge, Node, Workflow


@dataclass(frozen=True, slots=True)
class Parts:
    """A document in parts: its header, nodes and edges by pointer.

    Places are pointers from the document's top; `root` is that of the header. `form` is a set of
    words, in the codec's own language, for how the whole was put together.
    """

    header: JsonObject
    nodes: list[tuple[str, Json]]
    edges: list[tuple[str, Json]]
    subflows: list[tuple[str, Json]]
    form: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a document is put together from."""

    header: JsonObject
    nodes: list[Json]
    edges: list[Json]
    subflows: list[Json]


class Codec(Protocol):
    """One dialect's mapping. Forms are words for variants of writing the same thing."""

    @property
    def name(self) -> FormatName: ...

    @property
    def calls_by_name(self) -> bool:
        """Whether edges may call nodes by their names."""
        ...

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int: ...

    def split(self, document: JsonObject, notes: Notes, *, is_sub: bool) -> Parts: ...

    def join(self, pieces: Pieces, form: str, *, is_sub: bool) -> JsonObject: ...

    def form_for(self, workflow: Workflow, form: str) -> str:
        """The form to write `workflow` in, when it was read in `form`."""
        ...

    def read_header(self, header: JsonObject, notes: Notes, *, is_sub: bool) -> Workflow: ...

    def write_header(self, workflow: Workflow, form: str, *, is_sub: bool) -> JsonObject: ...

    def header_places(self, header: JsonObject) -> Mapping[str, str]:
        """What this dialect calls the parts of the canonical document (see `Places`)."""
        ...

    def node_form(self, item: JsonObject) -> str: ...

    def usual_node(self, item: JsonObject) -> Node | None:
        """The node of an object that `write_node` would write just so; None if that is not sure."""
        ...

    def read_node(self, item: JsonObject, notes: Notes) -> Node: ...

    def write_node(self, node: Node, form: str) -> JsonObject: ...

    def node_places(self, item: JsonObject) -> Mapping[str, str]:
        """What this node calls its canonical parts."""
        ...

    def edge_form(self, item: JsonObject, form: str, names: Mapping[str, str]) -> str:
        """How an edge is written, if not as is usual in a document of this form."""
        ...

    def usual_edge(self, item: JsonObject) -> Edge | None:
        """The edge of an object that `write_edge` would write just so; None if that is not sure."""
        ...

    def read_edge(self, item: JsonObject, names: Mapping[str, str], notes: Notes) -> Edge:
        """The edge in `item`; `names` are the ids of nodes that go by name in some files."""
        ...

    def write_edge(self, edge: Edge, form: str, called: Mapping[str, str]) -> JsonObject:
        """The edge, by the words of the document's form and its own.

        `called` are the names by which a file may call nodes, by their ids.
        """
        ...

    def edge_places(self, item: JsonObject) -> Mapping[str, str]:
        """What this edge calls its canonical parts."""
        ...
