"""The seam every dialect fulfils: recognise, read without raising, write without loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.model import Workflow

FormatName = Literal["toolweave", "ccwf", "flow", "agent-team"]
FORMAT_NAMES: tuple[FormatName, ...] = get_args(FormatName)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the parts of a workflow stand in the file it was read from, as JSON pointers."""

    root: str = ""
    nodes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    subflows: "tuple[Places, ...]" = ()
    # What a node of this dialect calls its canonical parts, where it has other names for them.
    inside_node: Mapping[str, str] = field(default_factory=dict[str, str])

    def original(self, pointer: str) -> str:
        """The place in the file of a pointer into the canonical document, as near as can be."""
        _, _, path = pointer.partition("/")
        part, _, path = path.partition("/")
        index, slash, rest = path.partition("/")
        rest = slash + rest
        at = int(index) if len(index) < 10 and index.isascii() and index.isdecimal() else -1
        if part == "nodes" and 0 <= at < len(self.nodes):
            return self.nodes[at] + self._in_node(rest)
        if part == "connections" and 0 <= at < len(self.edges):
            return self.edges[at] + rest
        if part == "subAgentFlows" and 0 <= at < len(self.subflows):
            return self.subflows[at].original(rest)
        return self.root + pointer

    def _in_node(self, rest: str) -> str:
        for canonical, native in self.inside_node.items():
            if rest == canonical or rest.startswith(canonical + "/"):
                return native + rest.removeprefix(canonical)
        return rest


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read: always a workflow, however little was understood, and all that was odd."""

    workflow: Workflow
    problems: tuple[Problem, ...] = ()
    format: FormatName = "toolweave"
    places: Places = field(default_factory=Places)


class Format(Protocol):
    """One dialect."""

    @property
    def name(self) -> FormatName: ...

    def recognises(self, document: Json) -> int:
        """How sure it is that `document` is of this dialect: 0 not at all, 100 certain."""
        ...

    def read(self, document: Json) -> Loaded:
        """The workflow in `document`; never raises on content."""
        ...

    def write(self, workflow: Workflow) -> Json:
        """The document for `workflow`, with everything it holds."""
        ...
