"""What a loop goes through, as its configuration says; validation and the nodes share it."""

from dataclasses import dataclass

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.paths import Path
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.reachability import LOOPS
from toolweave.workflow.shapes import UNKNOWN, ValueShape

# The names of items where a loop sets none.
_DEFAULT_NAMES = {"FLOW.FOR_EACH": "item"}
# A path that begins with one of these is read as it is; any other leads into `data`.
_PATH_ROOTS = frozenset(
    {"data", "input", "inputs", "context", "variables", "trigger", "nodes", "loop"}
)
_ROOT = pattern(r"\w+")
_RECORDS = "ACTION.SET_FIELDS"
# Names that the CEL of some nodes' own fields has.
_OWN_NAMES = {
    "FLOW.FILTER": frozenset({"item", "index"}),
    "ACTION.SET_FIELDS": frozenset({"item", "index"}),
    "FLOW.WAIT": frozenset({"trigger", "now"}),
}


@dataclass(frozen=True, slots=True)
class ListSource:
    """Where the list of a loop is written: a field, and its value if it has one."""

    part: str
    field: str
    value: Json = None


def loop_variable(loop: Node) -> str:
    """The name by which the body of a loop reads the item."""
    named = object_at(loop.data, "configurations").get("iteration_variable")
    return named if isinstance(named, str) else _DEFAULT_NAMES.get(loop.ref or "", "index")


def own_names(spec: NodeSpec | None) -> frozenset[str]:
    """The names that only the CEL of a node's own fields has."""
    return _OWN_NAMES.get(spec.ref, frozenset()) if spec is not None else frozenset()


def own_item(node: Node, path: Path, data: ValueShape) -> ValueShape:
    """What the `item` of a path is in the texts of a node that takes a list, or one record."""
    if path[0] != "item" or len(path) < 2 or path[1] in _made_by(node):
        return UNKNOWN
    if data.kinds == frozenset({"array"}):
        return data.items or UNKNOWN
    is_record = node.ref == _RECORDS and data.kinds == frozenset({"object"})
    return data if is_record else UNKNOWN


def _made_by(node: Node) -> frozenset[str]:
    """The fields that a node gives its items before the texts that read them."""
    if node.ref != _RECORDS:
        return frozenset()
    settings = object_at(node.data, "configurations")
    return frozenset(name for part in ("set", "expressions") for name in object_at(settings, part))


def counts(loop: Node) -> bool:
    """Whether a loop goes through numbers and not through a list."""
    kind = object_at(loop.data, "configurations").get("loop_type", "for_range")
    return loop.ref == "FLOW.LOOP" and kind in ("for_range", "while")


def is_while(loop: Node) -> bool:
    """Whether a loop goes on as long as a condition holds."""
    kind = object_at(loop.data, "configurations").get("loop_type")
    return loop.ref == "FLOW.LOOP" and kind == "while"


def list_source(loop: Node) -> ListSource | None:
    """The list of a loop that goes through one; nothing for other loops."""
    configurations = object_at(loop.data, "configurations")
    is_list = loop.ref == "FLOW.FOR_EACH" or configurations.get("loop_type") == "for_each"
    if loop.ref not in LOOPS or not is_list:
        return None
    if path := configurations.get("array_path"):
        return ListSource("configurations", "array_path", path)
    given = object_at(loop.data, "inputParams")
    field = "loop_data" if given.get("loop_data") is not None else "data"
    return ListSource("inputParams", field, given.get(field))


def full_path(path: str) -> str:
    """`data.users` for `users`; a path with a root stays as it is."""
    root = _ROOT.match(path)
    return path if root is not None and root[0] in _PATH_ROOTS else f"data.{path}"
