"""Completions for a node's text: paths, types and examples.

One bounded list of what schemas and specifications define and what the last run produced.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from toolweave.cel.paths import Path, write_path
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import UNKNOWN, ValueShape, look_up, of_value

MAX_OF_ROOT = 60
MAX_OFFERS = 600
MAX_DEPTH = 5
MAX_NODES = 40
MAX_KEY = 100

# A value of a name, as it may be shown.
Show = Callable[[str, Json], str]


@dataclass(frozen=True, slots=True)
class Completion:
    """A path with its type and its value in the last run."""

    path: str
    kind: str
    about: str | None = None
    sample: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    shape: ValueShape
    # None without a run.
    value: tuple[Json, ...] = ()
    about: str | None = None


def completions_at(
    scope: Scope, node: Node, names: Mapping[str, Json], show: Show
) -> list[Completion]:
    """Return the completions for a node's text, nearest first; `names` come from a run."""
    found: list[Completion] = []
    for root in _roots(scope, node, names):
        found.extend(_below(root, show))
    return found[:MAX_OFFERS]


@dataclass(frozen=True, slots=True)
class InputSource:
    """Something that a node's expressions read from: its path, and its value in the last run."""

    path: str
    about: str
    kind: str
    value: tuple[Json, ...]


def input_sources(scope: Scope, node: Node, names: Mapping[str, Json]) -> list[InputSource]:
    """Return what a node can read, nearest first; `names` come from a run."""
    return [
        InputSource(write_path(root.path), root.about or "", _kind(root), root.value)
        for root in _roots(scope, node, names)
    ]


def _roots(scope: Scope, node: Node, names: Mapping[str, Json]) -> Iterator[_Place]:
    incoming = scope.data_seen(node, "value")
    yield _Place(("data",), incoming, _value(names, "data"), "incoming data")
    for loop in scope.reach.loops_around(node.id) or ():
        about = f"the iteration of {loop.name or loop.id}"
        yield _Place(("loop",), scope.find(node, ("loop",)).shape, _value(names, "loop"), about)
        break
    trigger = _value(names, "trigger")
    yield _Place(("trigger",), scope.trigger, trigger, "the run's input")
    ran = names.get("nodes")
    for other in _earlier(scope, node.id):
        left = ran.get(other) if isinstance(ran, dict) else None
        value = (left["output"],) if isinstance(left, dict) and "output" in left else ()
        about = f"the output of {scope.graph.nodes[other].name or other}"
        yield _Place(("nodes", other, "output"), scope.value_of(other), value, about)
    yield _Place(("run",), scope.find(node, ("run",)).shape, _value(names, "run"), "the run")


def _value(names: Mapping[str, Json], name: str) -> tuple[Json, ...]:
    try:
        return (names[name],)
    except KeyError:
        return ()


def _earlier(scope: Scope, node: NodeId) -> list[NodeId]:
    """Nodes that may have a value when this one runs, by distance."""
    found: list[NodeId] = []
    seen = {node}
    waiting = deque([node])
    while waiting and len(found) < MAX_NODES:
        for edge in scope.graph.incoming(waiting.popleft()):
            other = edge.source
            if other not in seen:
                seen.add(other)
                waiting.append(other)
                if scope.reach.can_have_run(other, node):
                    found.append(other)
    return found


def _below(root: _Place, show: Show) -> Iterator[Completion]:
    """A place and what is below it, level by level."""
    waiting = deque([root])
    left = MAX_OF_ROOT
    while waiting and left:
        place = waiting.popleft()
        left -= 1
        yield _offer(place, show)
        if len(place.path) - len(root.path) < MAX_DEPTH:
            waiting.extend(_parts(place))


def _offer(place: _Place, show: Show) -> Completion:
    sample = show(str(place.path[-1]), place.value[0]) if place.value else None
    return Completion(write_path(place.path), _kind(place), place.about, sample)


def _kind(place: _Place) -> str:
    shape = of_value(place.value[0]) if place.value else place.shape
    return "" if shape.is_unknown else shape.words


def _parts(place: _Place) -> Iterator[_Place]:
    value = place.value[0] if place.value else None
    if isinstance(value, list):
        if value:
            items = place.shape.items or UNKNOWN
            yield _Place((*place.path, 0), items, (value[0],))
        return
    if not place.value and place.shape.items is not None:
        yield _Place((*place.path, 0), place.shape.items)
    had: JsonObject = value if isinstance(value, dict) else {}
    for name in dict.fromkeys((*place.shape.fields, *had)):
        if len(name) <= MAX_KEY:
            shape = look_up(place.shape, name).shape
            yield _Place((*place.path, name), shape, (had[name],) if name in had else ())
