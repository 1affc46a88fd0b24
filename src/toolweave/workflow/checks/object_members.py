"""Members of object settings: their names, types and values, as the specification lists them.

Such an object has a vocabulary of its own (`Field.members`). A member that is not in it has no
effect or is refused by an outside service, so these are warnings; what the node itself refuses is
an error of `node_settings`.
"""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.catalog.member_shapes import member_schema
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.checks.templated_values import check_values
from toolweave.workflow.checks.values import CODES
from toolweave.workflow.json_patch import steps_of

_PARTS = ("configurations", "inputParams")
_OF_NAMES = frozenset({"FIELD_UNKNOWN", "FIELD_REQUIRED"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield members that the node does not have, or whose values it cannot use."""
    for facts in node_table(case).nested:
        if (spec := facts.spec) is None:
            continue
        for part, judge in case.made.of_spec(_judges, spec):
            given = facts.settings if part == "configurations" else facts.inputs
            held: JsonObject = {
                name: value
                for name in given.keys() & judge.names
                if (value := given[name]) and isinstance(value, dict | list)
            }
            if held and not judge.accepts(held):
                place = f"{facts.place}/{part}"
                for problem in _problems(judge, held, place):
                    yield _taken_out(problem, spec, given, place) if part == _PARTS[0] else problem


def _taken_out(problem: Problem, spec: NodeSpec, given: JsonObject, place: str) -> Problem:
    """An unknown member that is a setting of the node itself, with the move to there."""
    steps = steps_of(problem.pointer.removeprefix(place))
    if problem.code != "FIELD_UNKNOWN" or problem.patch or len(steps) != 2:
        return problem
    name = steps[1]
    if name in given or all(one.name != name for one in spec.configurations):
        return problem
    move = {"op": "move", "from": problem.pointer, "path": place + pointer(name)}
    return replace(problem, hint=f"move it to configurations.{name}", patch=(move,))


def _judges(spec: NodeSpec) -> tuple[tuple[str, CompiledSchemas], ...]:
    if spec.origin is not None:
        return ()
    parts = zip(_PARTS, (spec.configurations, spec.inputs), strict=True)
    return tuple(
        (part, judge) for part, fields in parts if (judge := _judge(fields, spec.ref)) is not None
    )


def _judge(fields: tuple[Field, ...], ref: str) -> CompiledSchemas | None:
    known: JsonObject = {
        name: member_schema(field.members)
        for field in fields
        if field.members
        for name in (field.name, *field.aliases)
    }
    return (
        CompiledSchemas({"type": "object", "properties": known, "x-node": ref}) if known else None
    )


def _problems(judge: CompiledSchemas, held: JsonObject, place: str) -> Iterator[Problem]:
    for problem in check_values(judge, held):
        steps = steps_of(problem.pointer)
        code = CODES.get(problem.code, problem.code)
        # A secret is filled in by a run.
        is_secret = code not in _OF_NAMES and "${" in str(_at(held, steps))
        # The type of the setting itself is a matter of `values`.
        if len(steps) < 2 or is_secret:
            continue
        # `80%` is 80 or 0.8, which the field alone knows.
        is_share = "%" in str(_at(held, steps))
        patch = None if is_share else problem.patch
        yield placed(replace(problem, code=code, severity="warning", patch=patch), place)


def _at(value: Json, steps: list[str]) -> Json:
    for step in steps:
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
