"""Values of catalog nodes at the wrong level: beside their part, in the other part, wrapped twice.

A move is only offered if exactly one place takes the name and nothing is there yet.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolweave.catalog.member_names import members_of
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.name_words import alike
from toolweave.tools.other_names import names_of
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

CONFIGURATIONS = "configurations"
INPUTS = "inputParams"
_PARTS = (CONFIGURATIONS, INPUTS)
_UNKNOWN = frozenset({"FIELD_UNKNOWN", "MCP_PARAMETER_UNKNOWN"})
# Names that other systems give to a node's settings and inputs; which is meant, the keys tell.
_OF_INPUTS = frozenset(
    {"inputs", "input", "arguments", "args", "params", "parameters", "with", "function_args"}
    | {"parameterValues", "inputParams", "input_params"}
)
_CONTAINERS = _OF_INPUTS | {
    *("config", "configs", "configuration", "settings", "options", "properties", "values"),
    *("data", "extra", "additional", "advanced", "fields"),
}
# Names that a node may have for itself.
_OWN = frozenset(
    {*_PARTS, "subtype", "description", "outputParams", "attachedNodes", "label", "name", "notes"}
    | {"position", "type", "id", "version", "disabled", "enabled", "metadata", "style"}
)

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield settings and inputs beside the part they belong to; they are ignored there."""
    for index, node, spec in catalog_nodes(case):
        # Nearly all nodes have nothing else, and files are large.
        if _OWN.issuperset(node.data) and (not node.extras or _OWN.issuperset(node.extras)):
            continue
        found = [
            _beside(f"{place}{pointer(key)}", f"/nodes/{index}/data", node, key, to)
            for owner, place in (
                (node.data, f"/nodes/{index}/data"),
                (node.extras, f"/nodes/{index}"),
            )
            for key in owner
            if key not in _OWN and (to := _belonging(node, spec, key, owner[key]))
        ]
        if len({one.hint for one in found}) == len(found) > 1:
            # One of them may need another.
            steps = {repr(step): step for one in found for step in one.patch or ()}
            found = [replace(one, patch=tuple(steps.values())) for one in found]
        yield from found


def moved(problem: Problem, node: Node, spec: NodeSpec, part: str) -> Problem:
    """An unknown name in a part, with the move to where it belongs; pointers are within `data`."""
    name = problem.pointer.removeprefix(f"/{part}/")
    other = INPUTS if part == CONFIGURATIONS else CONFIGURATIONS
    # The same name in the other part is more certain than a similar one in this.
    is_fixed = (
        problem.patch is not None
        and problem.patch[0]["op"] != "remove"
        and name not in _names(spec, other)
    )
    if problem.code not in _UNKNOWN or "/" in name or "~" in name:
        return problem
    given = node.data.get(part)
    values = given if isinstance(given, dict) else {}
    called = names_of(spec.ref).settings.meant(name) if name not in _CONTAINERS else ()
    if len(called) == 1 and called[0] in _names(spec, part) and called[0] not in values:
        return problem  # another name of one setting
    operations, to = _unwrapped(spec, part, name, values), f"/{part}"
    if not operations and name in _CONTAINERS - _OF_INPUTS:
        operations, to = _spread(node, spec, part, name)
    if not operations and is_fixed:
        return problem
    if not operations:
        operations, to = _whole_part(node, spec, part, name)
    if not operations:
        operations, to = _spread(node, spec, part, name)
    if not operations:
        inside = _into_object(spec, part, name, values)
        aside = _to_other_part(node, spec, part, name)
        # Where both are possible, a required object that is missing is the one.
        made = inside[0][0] if inside[0] else {}
        needed = {f"/{part}/{one}" for one in _required(spec, part)}
        is_missing = made.get("op") == "add" and made.get("path") in needed
        if inside[0] and aside[0] and not is_missing:
            hint = f"move it to {aside[1]} or write it as a member in {inside[1]}"
            return replace(problem, patch=None, hint=hint)
        operations, to = inside if inside[0] else aside
    if not operations:
        return problem
    severity = "error" if _sets_required(operations, values.get(name), spec) else problem.severity
    return replace(problem, hint=f"move it to {to}", patch=tuple(operations), severity=severity)


def _sets_required(operations: list[Operation], value: Json, spec: NodeSpec) -> bool:
    """Whether a required input is given in the wrong place, so that the run would not get it."""
    places = {one["path"] for one in operations if one["op"] != "remove"}
    if f"/{INPUTS}" in places and isinstance(value, dict):
        places |= {f"/{INPUTS}/{key}" for key in value}
    return any(one.required and f"/{INPUTS}/{one.name}" in places for one in spec.inputs)


def required_elsewhere(problem: Problem, node: Node, part: str) -> Problem:
    """A missing setting or input whose name is in the other part, with the move."""
    other = INPUTS if part == CONFIGURATIONS else CONFIGURATIONS
    name = problem.pointer.removeprefix(f"/{part}/")
    given = object_at(node.data, other)
    if problem.patch is not None or "/" in name or given.get(name) in (None, ""):
        return problem
    if any(isinstance(one, dict) and name in one for one in object_at(node.data, part).values()):
        return problem  # it is here, one level too deep
    around = [*(one for key, one in node.data.items() if key not in _PARTS), *node.extras.values()]
    if name in node.data or name in node.extras:
        return problem  # or one level too high
    if any(isinstance(one, dict) and name in one for one in around):
        return problem  # or the part has another name
    made: list[Operation] = [{"op": "add", "path": f"/{part}", "value": {}}]
    move: Operation = {"op": "move", "from": f"/{other}/{name}", "path": f"/{part}/{name}"}
    patch = (*(made if part not in node.data else ()), move)
    return replace(problem, hint=f"move it from {other} to {part}", patch=patch)


def _beside(place: str, data: str, node: Node, key: str, to: str) -> Problem:
    part = to.split("/")[1]
    is_made = to.count("/") > 1 and part not in node.data
    made: list[Operation] = [{"op": "add", "path": f"{data}/{part}", "value": {}}]
    move: Operation = {"op": "move", "from": place, "path": data + to}
    return Problem(
        "FIELD_UNKNOWN",
        place,
        f"{key!r} is ignored here",
        hint=f"move it to {to.replace('/', '.').strip('.')}",
        severity="warning",
        patch=(*(made if is_made else ()), move),
    )


def _belonging(node: Node, spec: NodeSpec, key: str, value: Json) -> str | None:
    """The only free place for a key beside the parts."""
    taking = [part for part in _PARTS if key in _names(spec, part)]
    if taking and key in _CONTAINERS and _may_be_part(node, spec, value):
        return None  # a setting, or the part under another name
    if key in _CONTAINERS and not taking:
        if not isinstance(value, dict) or not value:
            return None
        found = [
            part
            for part in _PARTS
            if not node.data.get(part) and value.keys() <= _names(spec, part)
        ]
        return f"/{found[0]}" if len(found) == 1 else None
    found = [
        part
        for part in taking
        if isinstance(given := node.data.get(part, {}), dict) and key not in given
    ]
    if len(taking) == 2 and len(found) == 2:
        # An input of the same name takes the place of a setting when a run gives it.
        needed = [part for part in found if key in _required(spec, part)]
        usual = needed if len(needed) == 1 else _shown(spec, key)
        return f"/{usual[0]}{pointer(key)}"
    return f"/{found[0]}{pointer(key)}" if len(found) == len(taking) == 1 else None


def _shown(spec: NodeSpec, key: str) -> list[str]:
    """The part in which most examples of a node have a name."""
    in_settings = sum(key in one.configurations for one in spec.examples)
    in_inputs = sum(key in one.input_params for one in spec.examples)
    return [INPUTS] if in_inputs > in_settings else [CONFIGURATIONS]


def _may_be_part(node: Node, spec: NodeSpec, value: Json) -> bool:
    """Whether all members of an object are settings or inputs of a node that has none."""
    return (
        isinstance(value, dict)
        and bool(value)
        and any(not node.data.get(one) and value.keys() <= _names(spec, one) for one in _PARTS)
    )


def _required(spec: NodeSpec, part: str) -> set[str]:
    fields = spec.inputs if part == INPUTS else spec.configurations
    return {one.name for one in fields if one.required and one.default is None}


def _unwrapped(spec: NodeSpec, part: str, name: str, values: JsonObject) -> list[Operation]:
    """The inner object of a part that has nothing else: `configurations.configurations`."""
    inner = values.get(name)
    is_wrapper = name == part or name in _CONTAINERS
    if len(values) != 1 or not is_wrapper or not isinstance(inner, dict) or not inner:
        return []
    is_known = inner.keys() <= _names(spec, part)
    return [{"op": "replace", "path": f"/{part}", "value": inner}] if is_known else []


def _whole_part(node: Node, spec: NodeSpec, part: str, name: str) -> tuple[list[Operation], str]:
    """Move the other part, which is in this one under a name of other systems."""
    other = INPUTS if part == CONFIGURATIONS else CONFIGURATIONS
    inner = object_at(node.data, part).get(name)
    is_part = isinstance(inner, dict) and bool(inner) and inner.keys() <= _names(spec, other)
    if name not in {*_CONTAINERS, other} or not is_part or node.data.get(other):
        return [], f"/{part}"
    return [{"op": "move", "from": f"/{part}/{name}", "path": f"/{other}"}], other


def _spread(node: Node, spec: NodeSpec, part: str, name: str) -> tuple[list[Operation], str]:
    """Take members out of an unknown object, if each is a setting or an input that is not set."""
    inner = object_at(node.data, part).get(name)
    other = INPUTS if part == CONFIGURATIONS else CONFIGURATIONS
    if not isinstance(inner, dict) or not inner or name in _names(spec, other):
        return [], ""
    free = _names(spec, part) - object_at(node.data, part).keys()
    if name not in _CONTAINERS and any(alike(name, [one]) for one in free):
        return [], ""  # a setting with another word in its name
    taken = {one: object_at(node.data, one) for one in _PARTS}
    places: dict[str, str] = {}
    for key in inner:
        # Of two parts that take a name, the one it stands in is meant.
        fitting = [one for one in _PARTS if key in _names(spec, one) and key not in taken[one]]
        if part not in fitting and len(fitting) != 1:
            return [], ""
        places[key] = part if part in fitting else fitting[0]
    made: list[Operation] = [
        {"op": "add", "path": f"/{one}", "value": {}}
        for one in dict.fromkeys(places.values())
        if not isinstance(node.data.get(one), dict)
    ]
    moves: list[Operation] = [
        {"op": "move", "from": f"/{part}/{name}{pointer(key)}", "path": f"/{one}{pointer(key)}"}
        for key, one in places.items()
    ]
    listed = " and ".join(dict.fromkeys(places.values()))
    return [*made, *moves, {"op": "remove", "path": f"/{part}/{name}"}], listed


def _to_other_part(node: Node, spec: NodeSpec, part: str, name: str) -> tuple[list[Operation], str]:
    other = INPUTS if part == CONFIGURATIONS else CONFIGURATIONS
    given = node.data.get(other, {})
    if name not in _names(spec, other) or not isinstance(given, dict) or name in given:
        return [], ""
    made: list[Operation] = [{"op": "add", "path": f"/{other}", "value": {}}]
    move: Operation = {"op": "move", "from": f"/{part}/{name}", "path": f"/{other}/{name}"}
    return [*(made if other not in node.data else ()), move], f"{other}.{name}"


def _into_object(
    spec: NodeSpec, part: str, name: str, values: JsonObject
) -> tuple[list[Operation], str]:
    """Move names into the only object that has such members, all of them together."""
    objects = {
        key: members
        for key, members in _members(spec, part).items()
        if name in members and isinstance(values.get(key, {}), dict)
    }
    if len(objects) > 1 and (chosen := _wanted(objects, spec, values)):
        objects = chosen
    if len(objects) != 1:
        return [], ""
    ((key, members),) = objects.items()
    inner = values.get(key, {})
    names = [one for one in values if one in members and one not in _names(spec, part)]
    if not isinstance(inner, dict) or any(one in inner for one in names):
        return [], ""
    made: list[Operation] = [{"op": "add", "path": f"/{part}/{key}", "value": {}}]
    moves: list[Operation] = [
        {"op": "move", "from": f"/{part}/{one}", "path": f"/{part}/{key}/{one}"} for one in names
    ]
    return [*(made if key not in values else ()), *moves], f"{part}.{key}"


def _members(spec: NodeSpec, part: str) -> dict[str, set[str]]:
    """The known members of a node's objects."""
    known = members_of(spec, is_input=part == INPUTS)
    return {at[0]: {*members.samples} for at, members in known.items() if len(at) == 1}


def _wanted(
    objects: dict[str, set[str]], spec: NodeSpec, values: JsonObject
) -> dict[str, set[str]]:
    """The only object that takes all of the unknown names, or that is there already."""
    strange = {one for one in values if one not in _names(spec, CONFIGURATIONS)}
    for chosen in (
        {key: members for key, members in objects.items() if strange <= members},
        {key: members for key, members in objects.items() if isinstance(values.get(key), dict)},
    ):
        if len(chosen) == 1:
            return chosen
    return {}


def _names(spec: NodeSpec, part: str) -> set[str]:
    if part == INPUTS and spec.origin is not None:
        known = spec.origin.input_schema.get("properties")
        return set(known) if isinstance(known, dict) else set()
    fields = spec.inputs if part == INPUTS else spec.all_configurations
    return {name for one in fields for name in (one.name, *one.aliases)}
