"""The seam every dialect fulfils: recognise, read without raising, write without loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.model import Workflow

FormatName = Literal["toolweave", "ccwf", "flow", "agent-team"]
FORMAT_NAMES: tuple[FormatName, ...] = get_args(FormatName)


# What a thing calls its canonical parts: pointers from the canonical thing and from its own.
Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The JSON pointers of a workflow's parts in its file.

    A part that is not listed is where it is in the canonical document.
    """

    root: str = ""
    nodes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    subflows: "tuple[SourceMap, ...]" = ()
    in_header: Names = field(default_factory=dict[str, str])
    in_nodes: tuple[Names, ...] = ()
    in_edges: tuple[Names, ...] = ()

    def original(self, pointer: str) -> str:
        """The place in the file of a pointer into the canonical document, as near as can be."""
        _, _, path = pointer.partition("/")
        part, _, path = path.partition("/")
        index, slash, rest = path.partition("/")
        rest = slash + rest
        at = int(index) if len(index) < 10 and index.isascii() and index.isdecimal() else -1
        if part == "nodes" and 0 <= at < len(self.nodes):
            return self.nodes[at] + _renamed(rest, self.in_nodes[at])
        if part == "connections" and 0 <= at < len(self.edges):
            return self.edges[at] + _renamed(rest, self.in_edges[at])
        if part == "subAgentFlows" and 0 <= at < len(self.subflows):
            return self.subflows[at].original(rest)
        return self.root + _renamed(pointer, self.in_header)


def _renamed(path: str, names: Names) -> str:
    for canonical, native in names.items():
        if path == canonical or path.startswith(canonical + "/"):
            return native + path.removeprefix(canonical)
    return path


@dataclass(frozen=True, slots=True)
class LoadedWorkflow:
    """What was read: always a workflow, however little was understood, and all that was odd."""

    workflow: Workflow
    problems: tuple[Problem, ...] = ()
    format: FormatName = "toolweave"
    places: SourceMap = field(default_factory=SourceMap)
    # Problems whose patches are already in `workflow`; `places` are those after them.
    corrected: tuple[Problem, ...] = ()


class Format(Protocol):
    """One dialect."""

    @property
    def name(self) -> FormatName: ...

    def recognises(self, document: Json) -> int:
        """How sure it is that `document` is of this dialect: 0 not at all, 100 certain."""
        ...

    def read(self, document: Json) -> LoadedWorkflow:
        """The workflow in `document`; never raises on content."""
        ...

    def write(self, workflow: Workflow) -> Json:
        """The document for `workflow`, with everything it holds."""
        ...
