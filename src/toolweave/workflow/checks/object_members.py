"""Members of object settings by another name: `max_tokens` for `max_output_tokens`.

Such an object has a vocabulary of its own, which its default and the examples of the node show. A
member of another name has no effect; only one that means a known member is reported.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.meaning import containing
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.modes import object_at

_ENDS = ("_config", "_settings", "_options", "_criteria", "_processing", "_management")
# What authors name themselves.
_OPEN = frozenset({"headers", "query_params", "fields", "set", "rename", "expressions"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield members that have another name in this node."""
    for index, node, spec in catalog_nodes(case):
        if spec.origin is not None:
            continue
        for name, value in object_at(node.data, "configurations").items():
            known = _members(spec, name) if isinstance(value, dict) and value else None
            if known and isinstance(value, dict) and not value.keys() <= known:
                place = pointer("nodes", index, "data", "configurations", name)
                yield from _misnamed(value, known, place)


def _misnamed(value: JsonObject, known: frozenset[str], place: str) -> Iterator[Problem]:
    free = sorted(known - value.keys())
    for key in value.keys() - known:
        found = [one for one in free if is_meant(key, one)] or containing(key, free)
        if len(found) != 1:
            continue
        move = {"op": "move", "from": place + pointer(key), "path": place + pointer(found[0])}
        yield Problem(
            "FIELD_UNKNOWN",
            place + pointer(key),
            f"{shown(key)} is unknown here and has no effect",
            hint=f"did you mean {found[0]!r}?",
            severity="warning",
            patch=(move,),
        )


def _members(spec: NodeSpec, name: str) -> frozenset[str]:
    """The members that the specification shows; none of an object that authors name."""
    field = next((one for one in spec.configurations if one.name == name), None)
    if field is None or field.type != "object" or name in _OPEN:
        return frozenset()
    default: Json = field.default
    shown_in: list[Json] = [default, *(one.configurations.get(name) for one in spec.examples)]
    is_own = name.endswith(_ENDS) or (isinstance(default, dict) and bool(default))
    keys = (key for one in shown_in if isinstance(one, dict) for key in one)
    return frozenset(keys) if is_own else frozenset()
