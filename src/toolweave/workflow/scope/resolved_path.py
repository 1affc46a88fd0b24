"""Where a path of an expression leads: a value of a known shape, or its first unknown step."""

from typing import Literal, NamedTuple

from toolweave.cel.paths import Path
from toolweave.workflow.model import NodeId
from toolweave.workflow.shapes import UNKNOWN, ValueShape, look_up

Trouble = Literal["name", "node", "order", "port", "loop", "field"]


class ResolvedPath(NamedTuple):
    """The target of a path, or the first unknown step and the valid alternatives.

    `is_certain`: it cannot be there; else nothing says that it is.
    """

    shape: ValueShape = UNKNOWN
    trouble: Trouble | None = None
    at: int = 0
    known: tuple[str, ...] = ()
    node: NodeId | None = None
    is_certain: bool = True
    # Whether the first step into the value is one that its shape does not name.
    is_open: bool = False


def walk_path(
    shape: ValueShape, path: Path, start: int, node: NodeId | None = None
) -> ResolvedPath:
    """Follow the steps of a path from `start` on into a value; it is the value of `node`."""
    is_open = False
    for at in range(start, len(path)):
        step = path[at]
        # Most steps are fields that the shape names.
        if isinstance(step, str) and step in shape.fields and "object" in shape.kinds:
            shape = shape.fields[step]
            continue
        found = look_up(shape, step)
        if found.verdict in ("absent", "unsaid"):
            is_certain = found.verdict == "absent"
            return ResolvedPath(shape, "field", at, tuple(shape.fields), node, is_certain)
        is_open = is_open or (at == start and found.verdict == "open")
        shape = found.shape
    return ResolvedPath(shape, None, 0, (), node, True, is_open)
