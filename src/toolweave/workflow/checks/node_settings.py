"""The static checks of catalog nodes: what a node's start would refuse, validation refuses.

A node contributes its checks (`NodeSpec.checks`) and calls them with the resolved values when it
runs. Here they get the values of the document; a refusal of a templated value is no problem, as
its value is known only at run time.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from toolweave.catalog.node_input import NodeInput, NodeNames, all_refusals
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.inner_keys import member_named, moved_member
from toolweave.tools.text_variants import variants
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.dependent_settings import missing_settings
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.checks.template_values import possible_inputs
from toolweave.workflow.checks.templated_values import has_template
from toolweave.workflow.json_patch import apply_patch, steps_of
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

READS_CONSTANTS = True
CONFIGURATIONS = "configurations"
INPUTS = "inputParams"
# Steps to a setting or input; what is below is a member of it.
_IN_PART = 2
_Steps = list[dict[str, Any]]  # Any: operations of a JSON Patch, as in `Problem`
_ATTACHABLE = frozenset({"TOOL", "MEMORY"})
# Signs of a placeholder, as of a database driver.
_MARKED = pattern(r"[%:$#@?{]")
_WHOLE = pattern(r"\{\{(?:(?!\}\}).)*\}\}", re.DOTALL)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield what the nodes themselves refuse of their configurations and inputs."""
    for facts, spec, names in node_table(case).having(_checked_names):
        if not facts.is_enabled or not _is_step(case, facts.node):
            continue
        given = NodeInput(names.settings(facts.settings), names.inputs(facts.inputs))
        if refusals := [*_refusals(given, spec)]:
            yield from _problems(facts.index, facts.node, spec, given, refusals)


def _checked_names(spec: NodeSpec) -> NodeNames | None:
    return NodeNames(spec.all_configurations, spec.inputs) if spec.checks else None


def _problems(
    index: int, node: Node, spec: NodeSpec, given: NodeInput, refusals: list[Invalid]
) -> Iterator[Problem]:
    reported: set[tuple[str, str]] = set()
    if has_template([given.config, given.inputs]):
        refusals = _lasting(refusals, given, spec)
    for refused in refusals:
        at = _place(refused)
        if not at or not (refused.facts.get("certain") is True or _is_certain(given, at, spec)):
            continue
        if _is_known(node, spec, at):
            continue
        problem = _problem(refused, node, _steps(given, spec, at))
        if problem.patch is None:
            is_there = _child_at(given, _steps(given, spec, at)) is not None
            moves = [] if is_there else _member(node, at[-1])
            moves = moves or _known_member(node, spec, at)
            is_around = _holds(_child_at(given, _steps(given, spec, at)), at[-1], refused)
            patch = (
                (_taken_out(refused, given, spec, at) if is_around else None)
                or _of_strangers(moves, spec)
                or _respelt(refused, given, spec, at)
                or _listed(refused, given, spec, at)
                or _taken_out(refused, given, spec, at)
            )
            problem = replace(problem, patch=patch)
            if patch and patch[0]["op"] == "replace":
                # A hint with several answers leaves open what the patch decides.
                problem = replace(problem, hint=f"use {shown(patch[0]['value'])}")
        problem = placed(problem, pointer("nodes", index, "data"))
        if (problem.code, problem.pointer) not in reported:
            reported.add((problem.code, problem.pointer))
            yield problem


def _refusals(given: NodeInput, spec: NodeSpec) -> Iterator[Invalid]:
    for static in spec.checks:
        try:
            static(given)
        except Invalid as error:
            yield from all_refusals(error)


def _lasting(refusals: list[Invalid], given: NodeInput, spec: NodeSpec) -> list[Invalid]:
    """Return the refusals that remain whatever the templates of the node become.

    A template that is refused hides what the node would refuse after it, so that others may appear.
    """
    tried: list[dict[tuple[str, tuple[str, ...]], Invalid]] = []
    for possible in possible_inputs(given, spec):
        found = {(one.code, _place(one)): one for one in _refusals(possible, spec)}
        # A value tried in place of a template may itself be refused.
        if all(not at or _is_certain(given, at, spec) for _, at in found):
            tried.append(found)
    if not tried:
        return refusals
    always = {key: one for key, one in tried[0].items() if all(key in other for other in tried)}
    known = {(one.code, _place(one)) for one in refusals}
    left = [
        one
        for one in refusals
        if one.facts.get("certain") is True or (one.code, _place(one)) in always
    ]
    if _hides_members(given, spec):
        return left
    return [*left, *(one for key, one in always.items() if key not in known)]


def _problem(refused: Invalid, node: Node, at: tuple[str, ...]) -> Problem:
    place = pointer(*at)
    patch: list[dict[str, Any]] = moved_member(node.data, at) if len(at) > _IN_PART else []
    if "fix" in refused.facts:
        patch = [{"op": "replace", "path": place, "value": refused.facts["fix"]}]
    elif isinstance(steps := refused.facts.get("patch"), list):
        part = pointer(at[0])
        patch = [
            {**one, **{key: part + one[key] for key in ("path", "from") if key in one}}
            for one in cast("_Steps", steps)
        ]
    return Problem(refused.code, place, refused.message, refused.hint, patch=tuple(patch) or None)


def _member(node: Node, name: str) -> _Steps:
    """Operations that give a member of a setting or an input the name that is missing."""
    found = [
        {key: f"/{part}{value}" if key in {"path", "from"} else value for key, value in one.items()}
        for part in (CONFIGURATIONS, INPUTS)
        for one in member_named(object_at(node.data, part), name)
    ]
    return found if len(found) == 1 else []


def _respelt(
    refused: Invalid, given: NodeInput, spec: NodeSpec, at: tuple[str, ...]
) -> tuple[dict[str, Any], ...] | None:
    """The only other writing of a text with which the node no longer refuses anything new."""
    before = {(one.code, _place(one)) for one in _refusals(given, spec)}
    said = f"{refused.message} {refused.hint or ''}"
    found: dict[tuple[tuple[str, ...], str], None] = {}
    for steps, text in _texts_at(given, _steps(given, spec, at)):
        for one in variants(text, said):
            left = {(it.code, _place(it)) for it in _refusals(_put(given, steps, one), spec)}
            if left < before and (refused.code, _place(refused)) not in left:
                found[steps, one] = None
        if found:
            break
    if len(found) != 1:
        return None
    ((steps, value),) = found
    return ({"op": "replace", "path": pointer(*steps), "value": value},)


def _listed(
    refused: Invalid, given: NodeInput, spec: NodeSpec, at: tuple[str, ...]
) -> tuple[dict[str, Any], ...] | None:
    """The refused value as the only item of a list, where a list is expected."""
    steps = _steps(given, spec, at)
    value = _child_at(given, steps)
    is_plain = isinstance(value, int | float) or (isinstance(value, str) and "," not in value)
    if "expected a list" not in refused.message or not is_plain or len(steps) != _IN_PART:
        return None
    return _accepted(refused, given, spec, steps, [value])


def _holds(value: Json, name: str, refused: Invalid) -> bool:
    """Whether the only member of an object has the one that is missing in it."""
    inner = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    said = refused.message.split()
    return isinstance(inner, dict) and any(key == name or key in said for key in inner)


def _taken_out(
    refused: Invalid, given: NodeInput, spec: NodeSpec, at: tuple[str, ...]
) -> tuple[dict[str, Any], ...] | None:
    """The object or list inside an object that has nothing else, if that is not refused."""
    steps = _steps(given, spec, at)[:_IN_PART]
    value = _child_at(given, steps)
    inner = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    if isinstance(inner, list):
        inner = next((one for one in conversions(inner, ["object"])), None)
    if not isinstance(inner, dict) or len(steps) != _IN_PART:
        return None
    return _accepted(refused, given, spec, steps, inner)


def _accepted(
    refused: Invalid, given: NodeInput, spec: NodeSpec, steps: tuple[str, ...], value: Json
) -> tuple[dict[str, Any], ...] | None:
    """The replacement of a value, if the node then refuses nothing there."""
    left = {_place(it) for it in _refusals(_put(given, steps, value), spec)}
    if any(one[: len(steps) - 1] == steps[1:] for one in left if one):
        return None
    return ({"op": "replace", "path": pointer(*steps), "value": value},)


def _child_at(given: NodeInput, steps: tuple[str, ...]) -> Json:
    value: Json = {CONFIGURATIONS: given.config, INPUTS: given.inputs}
    for step in steps:
        value = _child(value, step)
    return value


def _texts_at(given: NodeInput, steps: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The text that is refused; of something else, the texts that are settings of the node."""
    value = _child_at(given, steps)
    if isinstance(value, str):
        yield steps, value
    elif len(steps) == _IN_PART:
        for name, one in given.config.items():
            if isinstance(one, str) and _MARKED.search(one):
                yield (CONFIGURATIONS, name), one


def _put(given: NodeInput, steps: tuple[str, ...], value: Json) -> NodeInput:
    whole: JsonObject = {CONFIGURATIONS: given.config, INPUTS: given.inputs}
    operation = {"op": "replace", "path": pointer(*steps), "value": value}
    changed = cast("JsonObject", apply_patch(whole, [operation]))
    return NodeInput(object_at(changed, CONFIGURATIONS), object_at(changed, INPUTS))


def _of_strangers(moves: _Steps, spec: NodeSpec) -> tuple[dict[str, Any], ...] | None:
    """The operations, unless one renames a setting or an input that the node has."""
    sources = {str(one["from"]).rpartition("/")[2] for one in moves if "from" in one}
    return None if any(_is_field(spec, one) for one in sources) else tuple(moves) or None


def _known_member(node: Node, spec: NodeSpec, at: tuple[str, ...]) -> list[dict[str, Any]]:
    """Operations that give a member of a refused object the only name that examples have for it."""
    for part in (CONFIGURATIONS, INPUTS):
        if at[0] not in object_at(node.data, part):
            continue
        examples = [
            one.configurations if part == CONFIGURATIONS else one.input_params
            for one in spec.examples
        ]
        known = {key for one in examples for key in _keys(one.get(at[0]))}
        value: Json = node.data
        for step in (part, *at):
            value = _child(value, step)
        if not isinstance(value, dict):
            continue
        moves = [
            move
            for name in sorted(known - value.keys())
            for move in moved_member(node.data, (part, *at, name))
        ]
        others = [one for one in moves if str(one.get("from", "")).rpartition("/")[2] not in known]
        return others if len(others) == 1 else []
    return []


def _child(value: Json, step: str) -> Json:
    if isinstance(value, list):
        return value[int(step)] if step.isdecimal() and int(step) < len(value) else None
    return value.get(step) if isinstance(value, dict) else None


def _keys(value: Json) -> Iterator[str]:
    """The names of the members of an object, or of the objects in a list."""
    for one in value if isinstance(value, list) else (value,):
        yield from one if isinstance(one, dict) else ()


def _steps(given: NodeInput, spec: NodeSpec, at: tuple[str, ...]) -> tuple[str, ...]:
    """Return the place in the node's data; the configurations for what is no field of its own."""
    is_setting = any(field.name == at[0] for field in spec.all_configurations)
    is_input = any(field.name == at[0] for field in spec.inputs)
    if given.inputs.get(at[0]) is not None:
        return (INPUTS, *at)
    if is_input and (not is_setting or given.config.get(at[0]) is None):
        return (INPUTS, *at)
    return (CONFIGURATIONS, *at) if is_setting else (CONFIGURATIONS,)


def _is_step(case: CheckContext, node: Node) -> bool:
    """Whether the node is run as a step; an agent gives an attached one its inputs."""
    return node.type not in _ATTACHABLE or bool(case.graph.incoming(node.id))


def _place(refused: Invalid) -> tuple[str, ...]:
    """Return the steps to the refused value; none for a wrong type, which `values` reports."""
    if "expected" in refused.facts:
        return ()
    at, field = refused.facts.get("at"), refused.facts.get("field")
    if isinstance(at, str):
        return tuple(steps_of(at))
    return tuple(field.split(".")) if isinstance(field, str) else ()


def _is_certain(given: NodeInput, at: tuple[str, ...], spec: NodeSpec) -> bool:
    """Whether no template could make the value at this place another one."""
    value: Json = given.value(at[0]) if at else None
    for step in at[1:]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            break
    if value is not None:
        return not has_template(value)
    values: list[Json] = [given.config, given.inputs]
    return not _may_hold(values, at[-1]) and (_is_field(spec, at[0]) or not _hides(values))


def _is_field(spec: NodeSpec, name: str) -> bool:
    return any(field.name == name for field in (*spec.all_configurations, *spec.inputs))


def _may_hold(value: Json, name: str) -> bool:
    """Whether a template gives what is under this name somewhere in the settings."""
    if isinstance(value, list):
        return any(_may_hold(item, name) for item in value)
    if not isinstance(value, dict):
        return False
    return has_template(value.get(name)) or any(_may_hold(item, name) for item in value.values())


def _hides_members(given: NodeInput, spec: NodeSpec) -> bool:
    """Whether a template gives a whole object or list, whose members decide about other fields."""
    values = {**given.config, **given.inputs}
    return any(
        one.type in {"object", "array", "any"}
        and isinstance(text := values.get(one.name), str)
        and has_template(text)
        for one in (*spec.all_configurations, *spec.inputs)
    )


def _hides(values: list[Json]) -> bool:
    """Whether a whole setting is a template, which may hold any fields."""
    return any(
        isinstance(one, str) and _WHOLE.fullmatch(one.strip()) is not None
        for part in values
        if isinstance(part, dict)
        for one in part.values()
    )


def _is_known(node: Node, spec: NodeSpec, at: tuple[str, ...]) -> bool:
    """Whether another check reports it: a required setting, a CEL text, or a wrong type."""
    if any(path.split(".")[0] == at[0] for path in missing_settings(node, spec)):
        return True
    config = object_at(node.data, CONFIGURATIONS)
    fields = (*spec.all_configurations, *spec.inputs)
    required = (field.name for field in fields if field.required and field.default is None)
    is_given = at[0] in config or at[0] in object_at(node.data, INPUTS)
    if len(at) == 1 and not is_given and at[0] in required:
        return True
    texts = cel_texts(spec, config)
    return any(tuple(map(str, text.at)) == at for text in texts)
