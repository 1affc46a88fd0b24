"""Settings that other settings require; required expressions are checked in `values.py`."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolweave.catalog.member_shapes import member_schema
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.inner_keys import moved_member
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

# Node and deciding setting -> its value -> paths of the required settings.
NEEDS: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    ("FLOW.SPLIT", "split_by"): {"field": ("field",)},
    ("FLOW.WAIT", "wait_type"): {
        "event": ("event_config.name",),
        "webhook": ("webhook_config.endpoint_path",),
        "file": ("file_config.file_path",),
        "api_response": ("api_config.url",),
        "queue_message": ("queue_config.queue_name",),
        "database_change": (
            "database_config.connection_string",
            "database_config.condition_query",
        ),
        "resource": ("resource_config.resource_type",),
    },
    ("ACTION.DATA_TRANSFORMATION", "operation"): {
        "map": ("field_mapping",),
        "filter": ("filter_conditions",),
        "aggregate": ("aggregation_functions",),
        "sort": ("sort_config.field",),
        "group_by": ("group_by_fields",),
        "join": ("group_by_fields",),
        "pivot": ("group_by_fields",),
    },
    ("MEMORY.KEY_VALUE_STORE", "storage_backend"): {
        "redis": ("connection_config.url",),
        "file": ("connection_config.path",),
    },
}

READS_CONSTANTS = True
_DECIDING = frozenset(ref for ref, _ in NEEDS)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield settings that fail in every run; templates and inputs may still provide a value."""
    for facts, spec, _ in node_table(case).having(_is_deciding):
        if facts.is_enabled:
            for path, why in missing_settings(facts.node, spec).items():
                yield _problem(facts.index, facts.node, spec, why, path)


def _is_deciding(spec: NodeSpec) -> bool:
    return spec.ref in _DECIDING


def missing_settings(node: Node, spec: NodeSpec) -> dict[str, str]:
    """Return the paths of required settings that are missing, and what requires each."""
    if spec.ref not in _DECIDING:
        return {}
    settings = object_at(node.data, "configurations")
    return {
        path: f"{decides} {shown(chosen)}"
        for (ref, decides), needs in NEEDS.items()
        if ref == spec.ref
        and isinstance(chosen := settings.get(decides, _default(spec, decides)), str)
        for path in needs.get(chosen, ())
        if _is_missing(node, settings, path)
    }


def _default(spec: NodeSpec, name: str) -> Json:
    return next((one.default for one in spec.configurations if one.name == name), None)


def _is_missing(node: Node, settings: JsonObject, path: str) -> bool:
    first, *below = path.split(".")
    if first in object_at(node.data, "inputParams"):
        return False
    value = settings.get(first)
    for name in below:
        if isinstance(value, str):
            return not value  # a template provides the whole object
        value = value.get(name) if isinstance(value, dict) else None
    return value in (None, "", [], {})


def _only_member(node: Node, spec: NodeSpec, first: str, name: str) -> list[dict[str, Any]]:
    """The rename of the only key of an object to the only member that it has."""
    field = next((one for one in spec.configurations if one.name == first), None)
    if field is None or not field.members:
        return []
    known = object_at(member_schema(field.members), "properties")
    given = object_at(object_at(node.data, "configurations"), first)
    if [*known] != [name] or len(given) != 1 or name in given:
        return []
    ((key, value),) = given.items()
    if not isinstance(value, str) or not value:
        return []
    place = pointer("configurations", first)
    return [{"op": "move", "from": place + pointer(key), "path": place + pointer(name)}]


def _problem(index: int, node: Node, spec: NodeSpec, why: str, path: str) -> Problem:
    """The missing setting, at the object that lacks it if that is there."""
    first, *below = path.split(".")
    at: Steps = ("configurations",)
    if isinstance(object_at(node.data, "configurations").get(first), dict):
        at = ("configurations", first)
    moves = moved_member(node.data, ("configurations", first, *below)) if below else []
    if not moves and below:
        moves = _only_member(node, spec, first, below[0])
    return placed(
        Problem(
            "SETTING_NEEDED",
            pointer(*at),
            f"node {shown(node.id)} has {why}, which requires {path!r}",
            hint=f"set {path} in its configurations",
            patch=tuple(moves) or None,
        ),
        pointer("nodes", index, "data"),
    )
