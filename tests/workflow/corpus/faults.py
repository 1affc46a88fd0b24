"""Single faults: what was done to a right workflow, what must be said of it, what must fix it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.workflow.corpus.bases import Base, Document, a_list, an_object, copied

# `same`: the patch gives the base back; `valid`: something without an error; `none`: no fix known.
Fix = Literal["same", "valid", "none"]


@dataclass(frozen=True)
class Fault:
    """A base with one thing wrong in it."""

    kind: str
    base: Base
    document: Document
    # Any one of these has to be told.
    codes: frozenset[str]
    fix: Fix = "none"
    # Whether it must be an error; what runs all the same may be a warning.
    is_grave: bool = True
    place: str = ""

    @property
    def name(self) -> str:
        return f"{self.base.name}:{self.kind}{':' if self.place else ''}{self.place}"


@dataclass(frozen=True)
class Parts:
    """Where a dialect keeps its nodes and edges, and what it calls an edge's ends."""

    nodes: list[Document]
    edges: list[Document]
    source: str
    target: str
    port: str


def parts(document: Document) -> Parts:
    """The nodes and edges of a file; no edges where it draws them in another way."""
    whole = document.get("workflow", document)
    whole = whole["flows"][0] if "flows" in whole else whole
    edges = a_list(whole.get("edges", whole.get("connections")))
    if not edges:
        return Parts(whole["nodes"], [], "from", "to", "fromPort")
    first = an_object(edges[0]) if edges else {}
    if "source" in first:
        names = ("source", "target", "sourceHandle")
    elif "from_node" in first:
        names = ("from_node", "to_node", "output_key")
    else:
        names = ("from", "to", "fromPort")
    return Parts(whole["nodes"], edges, *names)


def values_of(node: Document, key: str) -> Document:
    """A part of a node's data, wherever the dialect keeps it; empty where there is none."""
    older = {"configurations": "parameters", "inputParams": "input_params"}
    for owner in (node.get("data", {}), node):
        for name in (key, older.get(key, key)):
            if found := an_object(owner.get(name)):
                return found
    return {}


def swapped(name: str) -> str | None:
    """The name with two letters next to each other exchanged; nothing if it is too short."""
    for at in range(len(name) // 2, len(name) - 1):
        one, other = name[at], name[at + 1]
        if len(name) >= 4 and one != other and one.isalpha() and other.isalpha():
            return name[:at] + other + one + name[at + 2 :]
    return None


def cut(name: str) -> str | None:
    """The name without a letter of its middle."""
    at = len(name) // 2
    return name[:at] + name[at + 1 :] if len(name) >= 5 and name[at].isalpha() else None


class Faults:
    """Makes faults of one base: each is a change of a copy of its document."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.document = base.document

    def made(
        self,
        kind: str,
        change: Callable[[Document], object],
        *codes: str,
        fix: Fix = "none",
        grave: bool = True,
        place: str = "",
    ) -> Fault:
        document = copied(self.base)
        change(document)
        assert document != self.base.document, (self.base.name, kind, place)
        return Fault(kind, self.base, document, frozenset(codes), fix, grave, place)

    def nodes(self) -> Iterator[tuple[int, Document]]:
        yield from enumerate(parts(self.document).nodes)

    def edges(self) -> Iterator[tuple[int, Document]]:
        yield from enumerate(parts(self.document).edges)


def put(value: Any, *steps: str | int) -> Callable[[Document], None]:
    """Sets something in the document's nodes: the first step is the node's number."""

    def change(document: Document) -> None:
        owner: Any = parts(document).nodes
        for step in steps[:-1]:
            owner = owner[step]
        owner[steps[-1]] = value

    return change


def drop(*steps: str | int) -> Callable[[Document], None]:
    """Removes something from the document's nodes."""

    def change(document: Document) -> None:
        owner: Any = parts(document).nodes
        for step in steps[:-1]:
            owner = owner[step]
        del owner[steps[-1]]

    return change


def rename(new: str, *steps: str | int) -> Callable[[Document], None]:
    """Gives a member of an object another name, in its place."""

    def change(document: Document) -> None:
        owner: Any = parts(document).nodes
        for step in steps[:-1]:
            owner = owner[step]
        members = {new if key == steps[-1] else key: value for key, value in owner.items()}
        owner.clear()
        owner.update(members)

    return change
