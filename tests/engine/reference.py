"""Random graphs, what their nodes do, and a small interpreter that says what must come out.

It shares nothing with the engine: one recursive function over the drawing, no journal, no state.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import anyio.lowlevel
import orjson
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from tests.engine.building import Each

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Node, Workflow

PORTS = {"bad": ("output", "error"), "branch": ("true", "false"), "each": ("done", "error")}


@dataclass(frozen=True)
class Drawn:
    """A node of a random graph; `body` only where it is a loop."""

    id: str
    kind: str
    # Source and port; a root of a body hangs on its loop.
    incoming: tuple[tuple[str, str], ...]
    body: tuple["Drawn", ...] = ()
    width: int = 1
    stops: bool = False


def digest(*parts: Json) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:8]


@st.composite
def graphs(draw: DrawFn, prefix: str = "", depth: int = 0) -> tuple[Drawn, ...]:
    """Branches, joins, failures with and without a way out, and loops in loops."""
    kinds = ["once", "keyed", "pure", "branch", "bad", "bad_pure"] + ["each"] * (2 - depth)
    found: list[Drawn] = []
    sources: list[tuple[str, str]] = [("", "loop") if depth else ("s", "output")]
    for index in range(draw(st.integers(1, 7 if depth == 0 else 3))):
        kind = draw(st.sampled_from(kinds))
        identity = f"{prefix}n{index}"
        wanted = draw(st.lists(st.sampled_from(sources), min_size=1, max_size=3, unique=True))
        body = draw(graphs(f"{identity}_", depth + 1)) if kind == "each" else ()
        width, stops = draw(st.integers(1, 3)), draw(st.booleans())
        found.append(Drawn(identity, kind, tuple(wanted), body, width, stops))
        kind = kind.removesuffix("_pure")
        sources.extend((identity, port) for port in PORTS.get(kind, ("output",)))
    return tuple(found)


def document(graph: tuple[Drawn, ...]) -> Workflow:
    nodes: list[dict[str, Any]] = [{"id": "s", "name": "s", "type": "start", "data": {}}]
    edges: list[dict[str, Any]] = []

    def add(drawn: Drawn, loop: str) -> None:
        data = {"items": [1, 2, 3], "width": drawn.width, "stops": drawn.stops}
        nodes.append({"id": drawn.id, "name": drawn.id, "type": drawn.kind, "data": data})
        for source, port in drawn.incoming:
            edge = {"from": source or loop, "to": drawn.id, "fromPort": port, "toPort": "input"}
            edges.append({"id": f"e{len(edges)}", **edge})
        for inner in drawn.body:
            add(inner, drawn.id)

    for drawn in graph:
        add(drawn, "")
    for node in nodes:
        node["position"] = {"x": 0, "y": 0}
    whole: dict[str, Any] = {"id": "w", "name": "w", "nodes": nodes, "connections": edges}
    return read(whole).workflow


class _Pure:
    def compute(self, given: NodeInput) -> Outcome:
        return Outcome(digest("pure", given.incoming))


class _BadPure:
    def compute(self, given: NodeInput) -> Outcome:
        raise Invalid("TEST_BAD", "it always fails")


class _Branch:
    def compute(self, given: NodeInput) -> Outcome:
        return Outcome(given.incoming, (_way(given.incoming),))


def _way(value: Json) -> str:
    return "true" if int(digest(value), 16) % 2 else "false"


@dataclass
class _Effect:
    """Takes a while, of its own length; notes that it happened."""

    is_bad: bool
    tried: list[str]

    async def run(self, context: NodeContext) -> Outcome:
        key = context.key.partition("/")[2]
        self.tried.append(key)
        for _ in range(int(digest(key), 16) % 5):
            await anyio.lowlevel.checkpoint()
        if self.is_bad:
            raise Unavailable("TEST_BAD", "it always fails")
        return Outcome(digest("effect", context.given.incoming))


class Kinds:
    """The kinds of the drawing."""

    def __init__(self) -> None:
        self.tried: list[str] = []
        good, bad = _Effect(False, self.tried), _Effect(True, self.tried)
        self._kinds = {
            "start": NodeKind(_Start(), "pure"),
            "once": NodeKind(good, "once"),
            "keyed": NodeKind(good, "keyed"),
            "bad": NodeKind(bad, "once"),
            "pure": NodeKind(_Pure(), "pure"),
            "bad_pure": NodeKind(_BadPure(), "pure"),
            "branch": NodeKind(_Branch(), "pure"),
            "each": NodeKind(Each(), "pure"),
        }

    def of(self, node: Node) -> NodeKind | None:
        return self._kinds[node.type]


class _Start:
    def compute(self, given: NodeInput) -> Outcome:
        return Outcome(given.incoming)


@dataclass
class Told:
    """What the interpreter says: value and ports of each node that gave something."""

    values: dict[str, tuple[Json, str]] = field(default_factory=dict[str, tuple[Json, str]])
    failed: list[str] = field(default_factory=list[str])
    taken: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def last(self) -> dict[str, Json]:
        """What nothing follows that gave anything itself."""
        return {
            name: value
            for name, (value, _) in self.values.items()
            if not any(
                name in sources and one in self.values for one, sources in self.taken.items()
            )
        }


def interpret(graph: tuple[Drawn, ...], first: Json, *, is_body: bool = False) -> Told:
    """Run one level: the nodes in their order, each on what its taken edges carry."""
    told = Told()
    if not is_body:
        told.values["s"] = (first, "output")
    handled = {source for drawn in graph for source, port in drawn.incoming if port == "error"}
    for drawn in graph:
        came: dict[str, Json] = {}
        for source, port in drawn.incoming:
            if source == "":
                came[source] = first
            elif source in told.values and told.values[source][1] == port:
                came[source] = told.values[source][0]
        if not came:
            continue
        told.taken[drawn.id] = list(came)
        _do(drawn, came, told, is_handled=drawn.id in handled)
    return told


def _do(drawn: Drawn, came: dict[str, Json], told: Told, *, is_handled: bool) -> None:
    incoming = next(iter(came.values())) if len(came) == 1 else _named(drawn, came)
    match drawn.kind:
        case "once" | "keyed":
            told.values[drawn.id] = (digest("effect", incoming), "output")
        case "pure":
            told.values[drawn.id] = (digest("pure", incoming), "output")
        case "branch":
            told.values[drawn.id] = (incoming, _way(incoming))
        case "each":
            turns = [interpret(drawn.body, item, is_body=True) for item in (1, 2, 3)]
            if drawn.stops and any(turn.failed for turn in turns):
                _fail(drawn, told, is_handled=is_handled)
            else:
                told.values[drawn.id] = ([_turn(turn) for turn in turns], "done")
        case _:
            _fail(drawn, told, is_handled=is_handled)


def _named(drawn: Drawn, came: dict[str, Json]) -> Json:
    loop = drawn.id.rpartition("_")[0]
    return {source or loop: value for source, value in came.items()}


def _fail(drawn: Drawn, told: Told, *, is_handled: bool) -> None:
    if is_handled:
        error: Json = {"code": "TEST_BAD", "message": "it always fails", "node": drawn.id}
        told.values[drawn.id] = ({"error": error}, "error")
    else:
        told.failed.append(drawn.id)


def _turn(told: Told) -> Json:
    if told.failed:
        return {"failed": "TEST_BAD"}
    values = list(told.last.values())
    return values[0] if len(values) == 1 else values or None
