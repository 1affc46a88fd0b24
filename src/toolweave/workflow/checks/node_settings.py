"""The static checks of catalog nodes: what a node's start would refuse, validation refuses.

A node contributes its checks (`NodeSpec.checks`) and calls them with the resolved values when it
runs. Here they get the values of the document; a refusal of a templated value is no problem, as
its value is known only at run time.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from toolweave.catalog.node_input import NodeInput, all_refusals, by_own_names, with_defaults
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.inner_keys import moved_member
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.checks.dependent_settings import missing_settings
from toolweave.workflow.checks.expressions import is_enabled
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.checks.template_values import possible_inputs
from toolweave.workflow.checks.templated_values import has_template
from toolweave.workflow.json_patch import steps_of
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

CONFIGURATIONS = "configurations"
INPUTS = "inputParams"
# Steps to a setting or input; what is below is a member of it.
_IN_PART = 2
_Steps = list[dict[str, Any]]  # Any: operations of a JSON Patch, as in `Problem`
_ATTACHABLE = frozenset({"TOOL", "MEMORY"})
_WHOLE = pattern(r"\{\{(?:(?!\}\}).)*\}\}", re.DOTALL)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield what the nodes themselves refuse of their configurations and inputs."""
    for index, node, spec in catalog_nodes(case):
        if spec.checks and is_enabled(node) and _is_step(case, node):
            yield from _problems(index, node, spec)


def _problems(index: int, node: Node, spec: NodeSpec) -> Iterator[Problem]:
    config, inputs = object_at(node.data, CONFIGURATIONS), object_at(node.data, INPUTS)
    given = NodeInput(
        with_defaults(config, spec.all_configurations), by_own_names(inputs, spec.inputs)
    )
    reported: set[tuple[str, str]] = set()
    refusals = [*_refusals(given, spec)]
    if refusals and has_template([given.config, given.inputs]):
        refusals = _lasting(refusals, given, spec)
    for refused in refusals:
        at = _place(refused)
        if not at or not (refused.facts.get("certain") is True or _is_certain(given, at, spec)):
            continue
        if _is_known(node, spec, at):
            continue
        problem = _problem(refused, node, _steps(given, spec, at))
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
    """Return the refusals that remain whatever the templates of the node become."""
    left = refusals
    for possible in possible_inputs(given, spec):
        again = {(one.code, _place(one)) for one in _refusals(possible, spec)}
        if any(not _is_certain(given, at, spec) for _, at in again if at):
            continue  # the value tried in place of a template is itself refused
        left = [
            one
            for one in left
            if one.facts.get("certain") is True or (one.code, _place(one)) in again
        ]
        if not left:
            break
    return left


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
