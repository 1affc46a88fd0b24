"""Makes a `Format` of a codec: nothing a file says is lost, whatever the codec understands.

Two rests are kept, each as a difference (`respell`). What a file said otherwise than the codec
would write it stays with the element (`kept`) and is used when that dialect is written again; it
travels through other dialects as `x-toolweave.spelling`. What a dialect has no words for is
written as `x-toolweave.exact` and made good when the file is read. A spelling never changes the
meaning: what was written is read again, and on a difference it is written without spellings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats import document_difference as meaning
from toolweave.workflow.formats.codec import Codec, Pieces
from toolweave.workflow.formats.envelope import (
    WRAPPER,
    X,
    bare_of,
    mark_of,
    unmarked,
    unwrapped,
)
from toolweave.workflow.formats.fields import MAX_NOTED, Notes, shown
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName, LoadedWorkflow, SourceMap
from toolweave.workflow.formats.identity import identity_problems
from toolweave.workflow.formats.json_difference import difference, restore, same
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow

Element = TypeVar("Element", Node, Edge, Workflow)

# The ends of edges in every dialect.
_ENDS = ("from", "to", "source", "target", "from_node", "to_node")


class Lossless:
    """A codec as a `Format`."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    @property
    def name(self) -> FormatName:
        """The dialect's name."""
        return self._codec.name

    def recognises(self, document: Json) -> int:
        """How sure the codec is that `document`, or what it wraps, is of its dialect."""
        inner, is_wrapped = unwrapped(document)
        if (dialect := mark_of(inner)) is not None:
            return 100 if dialect == self.name else 0
        return self._codec.recognises(inner, is_wrapped=is_wrapped) if inner else 0

    def read(self, document: Json) -> LoadedWorkflow:
        """The workflow in `document`; never raises on content."""
        reader = _Reader(self._codec)
        workflow, places = reader.document(unmarked(document), "", is_sub=False)
        problems = (*reader.notes.all(), *islice(identity_problems(workflow, places), MAX_NOTED))
        return LoadedWorkflow(workflow, problems, self.name, places)

    def read_around(
        self, document: JsonObject, nodes: tuple[Node, ...], edges: tuple[Edge, ...]
    ) -> LoadedWorkflow:
        """The workflow in a document whose `nodes` and `connections` are read and usual."""
        reader = _Reader(self._codec)
        rest: JsonObject = {**document, "nodes": [], "connections": []}
        header, _ = reader.document(rest, "", is_sub=False)
        loaded = self.as_read(replace(header, nodes=nodes, edges=edges))
        return replace(loaded, problems=(*reader.notes.all(), *loaded.problems))

    def as_read(self, workflow: Workflow) -> LoadedWorkflow:
        """A workflow whose parts are usual, so that every pointer is right as it is."""
        places = SourceMap()
        problems = tuple(islice(identity_problems(workflow, places), MAX_NOTED))
        return LoadedWorkflow(workflow, problems, self.name, places)

    def write(self, workflow: Workflow) -> Json:
        """The document for `workflow`, spelt as a file of this dialect last spelt it."""
        writer = _Writer(self._codec)
        written = writer.document(workflow, is_sub=False)
        again, _ = _Reader(self._codec).document(written, "", is_sub=False)
        if again == workflow:
            return written
        return writer.document(_forgetful(workflow, self.name), is_sub=False)


def remembers(workflow: Workflow) -> bool:
    """Whether any part of a workflow knows how some file spelt it."""
    parts = (workflow, *workflow.nodes, *workflow.edges)
    return any(part.kept for part in parts) or any(map(remembers, workflow.subflows))


def _own(kept: JsonObject, dialect: FormatName) -> JsonObject:
    spelling = kept.get(dialect)
    return spelling if isinstance(spelling, dict) else {}


def _form(spelling: JsonObject) -> str:
    form = spelling.get("form")
    return form if isinstance(form, str) else ""


def _forgetful(workflow: Workflow, dialect: FormatName) -> Workflow:
    def left(kept: JsonObject) -> JsonObject:
        return {name: value for name, value in kept.items() if name != dialect}

    return replace(
        workflow,
        nodes=tuple(replace(node, kept=left(node.kept)) for node in workflow.nodes),
        edges=tuple(replace(edge, kept=left(edge.kept)) for edge in workflow.edges),
        subflows=tuple(_forgetful(flow, dialect) for flow in workflow.subflows),
        kept=left(workflow.kept),
    )


@dataclass(frozen=True, slots=True)
class _Kind(Generic[Element]):
    dialect: FormatName
    read: Callable[[JsonObject, Notes], Element]
    write: Callable[[Element, str], JsonObject]
    said: Callable[[Element], JsonObject]
    saying: Callable[[Json, Element], Element]

    def written(self, element: Element, form: str) -> JsonObject:
        """The element in the dialect's usual spelling, with what the dialect cannot say."""
        written = self.write(element, form)
        written.pop(X, None)
        aside: JsonObject = {}
        if others := {key: value for key, value in element.kept.items() if key != self.dialect}:
            aside["spelling"] = others
        native = self.read(written, Notes())
        if native != element:
            aside["exact"] = difference(self.said(native), self.said(element))
        if aside:
            written[X] = aside
        return written

    def exact(self, native: Element, item: JsonObject) -> Element:
        """Restore what was set aside to the natively read part."""
        aside = item.get(X)
        if not isinstance(aside, dict):
            return native
        exact, spelling = aside.get("exact"), aside.get("spelling")
        element = native
        if isinstance(exact, dict):
            element = self.saying(restore(self.said(native), exact), native)
        if not isinstance(spelling, dict):
            return element
        known = [name for name in FORMAT_NAMES if name != self.dialect]
        kept: JsonObject = {
            name: value for name in known if isinstance(value := spelling.get(name), dict)
        }
        return replace(element, kept=kept)

    def means(self, item: Json, element: Element) -> bool:
        """Whether `item` is read as `element`; an id may be missing, and made up again."""
        if not isinstance(item, dict):
            return False
        found = self.exact(self.read(bare_of(item), Notes()), item)
        return (found if found.id else replace(found, id=element.id)) == element

    def settled(self, element: Element, item: JsonObject, form: str, usual: str) -> Element:
        """The element with memory of how `item` spells it."""
        words = f"{usual} {form}"
        # Most elements are spelt as we would; then there is nothing to compare or remember.
        if X not in item and not form and same(self.write(element, words), item):
            return element
        spelling = difference(self.written(element, words), item)
        if form:
            spelling["form"] = form
        if not spelling:
            return element
        return replace(element, kept={**element.kept, self.dialect: spelling})


def _nodes(codec: Codec) -> _Kind[Node]:
    return _Kind(codec.name, codec.read_node, codec.write_node, meaning.of_node, meaning.to_node)


def _edges(codec: Codec, names: Mapping[str, str]) -> _Kind[Edge]:
    called = {node: name for name, node in names.items()}

    def read(item: JsonObject, notes: Notes) -> Edge:
        return codec.read_edge(item, names, notes)

    def write(edge: Edge, form: str) -> JsonObject:
        return codec.write_edge(edge, form, called)

    return _Kind(codec.name, read, write, meaning.of_edge, meaning.to_edge)


def _headers(codec: Codec, *, is_sub: bool) -> _Kind[Workflow]:
    def read(item: JsonObject, notes: Notes) -> Workflow:
        return codec.read_header(item, notes, is_sub=is_sub)

    def write(workflow: Workflow, form: str) -> JsonObject:
        return codec.write_header(workflow, form, is_sub=is_sub)

    return _Kind(codec.name, read, write, meaning.of_header, meaning.to_header)


def _names(codec: Codec, nodes: tuple[Node, ...]) -> dict[str, str]:
    """The ids of nodes by a name that is no id and no other node's name."""
    if not codec.calls_by_name:
        return {}
    ids = {node.id for node in nodes}
    names: dict[str, str] = {}
    for node in nodes:
        names[node.name] = "" if node.name in names else node.id
    return {name: found for name, found in names.items() if found and name not in ids}


class _Writer:
    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def document(self, workflow: Workflow, *, is_sub: bool) -> Json:
        """The document, in the spelling that is kept for this dialect."""
        spelling = _own(workflow.kept, self._codec.name)
        form = self._codec.form_for(workflow, _form(spelling))
        names = _names(self._codec, workflow.nodes)
        nodes, edges = _nodes(self._codec), _edges(self._codec, names)
        pieces = Pieces(
            self.header(workflow, form, is_sub=is_sub),
            [self._spelt(nodes, node, form) for node in workflow.nodes],
            [self._spelt(edges, edge, form) for edge in workflow.edges],
            [self.document(flow, is_sub=True) for flow in workflow.subflows],
        )
        is_wrapped = spelling.get("wrapper") is True
        whole = self.whole(pieces, form, is_sub=is_sub, is_wrapped=is_wrapped)
        # A spelling is about a form; after a change of form it says nothing.
        return restore(whole, spelling) if form == _form(spelling) else whole

    def header(self, workflow: Workflow, form: str, *, is_sub: bool) -> JsonObject:
        """The header fields, in the dialect's usual spelling."""
        alone = replace(workflow, nodes=(), edges=(), subflows=())
        return _headers(self._codec, is_sub=is_sub).written(alone, form)

    def whole(self, pieces: Pieces, form: str, *, is_sub: bool, is_wrapped: bool) -> Json:
        """The pieces put together."""
        document = self._codec.join(pieces, form, is_sub=is_sub)
        return {WRAPPER: document} if is_wrapped else document

    @staticmethod
    def _spelt(kind: _Kind[Element], element: Element, form: str) -> Json:
        spelling = _own(element.kept, kind.dialect)
        written = kind.written(element, f"{form} {_form(spelling)}")
        if not spelling:
            return written
        # One element that has changed must not cost the others their spelling.
        spelt = restore(written, spelling)
        return spelt if kind.means(spelt, element) else written


class _Reader:
    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.notes = Notes()

    def document(self, document: Json, at: str, *, is_sub: bool) -> tuple[Workflow, SourceMap]:
        """Return the workflow and the pointers of its parts."""
        inner, is_wrapped = (document, False) if is_sub else unwrapped(document)
        top = at + pointer(WRAPPER) if is_wrapped else at
        self.notes.at = top
        body = inner if isinstance(inner, dict) else {}
        parts = self._codec.split(body, self.notes, is_sub=is_sub)
        found_nodes = self._objects("a node", parts.nodes, top)
        found_edges = self._objects("an edge", parts.edges, top)
        found_flows = self._objects("a sub-flow", parts.subflows, top)

        nodes = self._read_nodes(found_nodes, parts.form, _lost_id(found_nodes, found_edges))
        edges = self._read_edges(found_edges, nodes, parts.form)
        flows = [self.document(item, place, is_sub=True) for place, item in found_flows]
        self.notes.at = top + parts.root
        kind = _headers(self._codec, is_sub=is_sub)
        header = kind.exact(kind.read(bare_of(parts.header), self.notes), parts.header)
        subflows = tuple(flow for flow, _ in flows)
        workflow = replace(header, nodes=nodes, edges=edges, subflows=subflows)

        writer = _Writer(self._codec)
        pieces = Pieces(
            writer.header(header, parts.form, is_sub=is_sub),
            [item for _, item in found_nodes],
            [item for _, item in found_edges],
            [item for _, item in found_flows],
        )
        whole = writer.whole(pieces, parts.form, is_sub=is_sub, is_wrapped=is_wrapped)
        spelling = difference(whole, document)
        if is_wrapped:
            spelling["wrapper"] = True
        # The form a new file would have needs no memory, unless something else was remembered.
        is_usual = parts.form == self._codec.form_for(workflow, "")
        if parts.form and (spelling or not is_usual):
            spelling["form"] = parts.form
        if spelling:
            workflow = replace(workflow, kept={**workflow.kept, self._codec.name: spelling})
        places = SourceMap(
            top + parts.root,
            tuple(place for place, _ in found_nodes),
            tuple(place for place, _ in found_edges),
            tuple(places for _, places in flows),
            self._codec.header_places(parts.header),
            tuple(self._codec.node_places(item) for _, item in found_nodes),
            tuple(self._codec.edge_places(item) for _, item in found_edges),
        )
        return workflow, places

    def _objects(
        self, what: str, found: list[tuple[str, Json]], top: str
    ) -> list[tuple[str, JsonObject]]:
        objects: list[tuple[str, JsonObject]] = []
        for place, item in found:
            if isinstance(item, dict):
                objects.append((top + place, item))
                continue
            if self.notes.is_full:
                self.notes.left_out += 1
                continue
            self.notes.at = top + place
            self.notes.add(
                "FIELD_TYPE_WRONG",
                (),
                f"{what} is {shown(item)}; expected an object",
                hint="it is kept in the file and otherwise ignored; remove it",
                severity="error",
            )
        return objects

    def _read_nodes(
        self, found: list[tuple[str, JsonObject]], form: str, lost: str | None
    ) -> tuple[Node, ...]:
        kind = _nodes(self._codec)
        free = _FreeIds(found)
        nodes: list[Node] = []
        for index, (place, item) in enumerate(found):
            if (usual := self._codec.usual_node(item)) is not None:
                nodes.append(usual)
                continue
            self.notes.at = place
            bare = bare_of(item)
            node = kind.read(bare, self.notes)
            if not node.id:
                node = replace(node, id=NodeId(lost or free.like(f"node-{index + 1}")))
                self.notes.add(
                    "NODE_ID_MISSING",
                    (),
                    f"the node has no id; it is called {node.id!r}",
                    hint="give it an id that no other node has",
                    severity="error",
                    patch=({"op": "add", "path": f"{place}/id", "value": node.id},),
                )
            if bare is not item:
                node = kind.exact(node, item)
            nodes.append(kind.settled(node, item, self._codec.node_form(bare), form))
        return tuple(nodes)

    def _read_edges(
        self, found: list[tuple[str, JsonObject]], nodes: tuple[Node, ...], form: str
    ) -> tuple[Edge, ...]:
        names = _names(self._codec, nodes)
        kind = _edges(self._codec, names)
        free = _FreeIds(found)
        edges: list[Edge] = []
        for place, item in found:
            if (usual := self._codec.usual_edge(item)) is not None:
                edges.append(usual)
                continue
            self.notes.at = place
            bare = bare_of(item)
            edge = kind.read(bare, self.notes)
            if not edge.id:
                edge = replace(edge, id=EdgeId(free.like(f"{edge.source}->{edge.target}")))
            if bare is not item:
                edge = kind.exact(edge, item)
            edges.append(kind.settled(edge, item, self._codec.edge_form(bare, form, names), form))
        return tuple(edges)


def _lost_id(
    nodes: list[tuple[str, JsonObject]], edges: list[tuple[str, JsonObject]]
) -> str | None:
    """The only name in edges that no node has, if only one node has no id."""
    ids = [item.get("id") for _, item in nodes]
    if sum(not one for one in ids) != 1:
        return None
    ends = (item.get(key) for _, item in edges for key in _ENDS)
    lost = list(dict.fromkeys(one for one in ends if isinstance(one, str) and one not in ids))
    return lost[0] if len(lost) == 1 else None


class _FreeIds:
    """Ids for elements of a file that have none; the same ones whenever it is read."""

    def __init__(self, found: list[tuple[str, JsonObject]]) -> None:
        self._found = found
        self._taken: set[str] | None = None
        self._last: dict[str, int] = {}

    def like(self, wanted: str) -> str:
        """An id that nothing else has."""
        if self._taken is None:
            self._taken = {str(item.get("id")) for _, item in self._found}
        count = self._last.get(wanted, 0) + 1
        while (free := wanted if count == 1 else f"{wanted}-{count}") in self._taken:
            count += 1
        self._last[wanted] = count
        self._taken.add(free)
        return free
