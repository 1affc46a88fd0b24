"""Values of a node that stand under the name of another setting. Not a check.

Such a value is not changed into another form: the name may be the wrong one.
"""

from dataclasses import replace
from itertools import combinations, product

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.templated_values import check_values

_EXCHANGED = "may be exchanged"
_TYPE = "MCP_PARAMETER_INVALID_TYPE"


def exchanged(problems: list[Problem], values: JsonObject, judge: CompiledSchemas) -> list[Problem]:
    """The problems; two values that fit each other's names get no patch."""
    wrong = {one.pointer for one in problems if one.code == _TYPE}
    names = [name for name in values if pointer(name) in wrong]
    # A template may be anything, and so what a list or an object beside it is meant for.
    inside = [name for name in names[:4] if isinstance(values[name], list | dict)]
    open_names = [name for name in values if name not in names and _is_template(values[name])]
    pairs = [*combinations(names[:4], 2), *product(inside, open_names[:4] if inside else ())]
    for one, other in pairs:
        swapped = {**values, one: values[other], other: values[one]}
        left = {problem.pointer for problem in check_values(judge, swapped)}
        if not left & {pointer(one), pointer(other)}:
            hint = f"{one!r} and {other!r} {_EXCHANGED}"
            both = {pointer(one), pointer(other)}
            problems = [
                replace(it, patch=None, hint=hint) if it.pointer in both else it for it in problems
            ]
    return problems


def is_exchanged(problem: Problem) -> bool:
    """Whether it says that a value may stand under the name of another."""
    return (problem.hint or "").endswith(_EXCHANGED)


def _is_template(value: Json) -> bool:
    return isinstance(value, str) and value.startswith("{{") and value.endswith("}}")


def of_another(problem: Problem, spec: NodeSpec, values: JsonObject) -> Problem:
    """The problem; a value that another field of the node has as an option gets no patch."""
    value = values.get(problem.pointer.removeprefix("/"))
    if problem.patch is None or not isinstance(value, str) or spec.origin is not None:
        return problem
    fields = (*spec.all_configurations, *spec.inputs)
    own = [one for one in fields if pointer(one.name) == problem.pointer]
    is_listed = problem.patch[0].get("value") == [value]
    if any(value in one.options or (one.options and not is_listed) for one in own):
        return problem  # it means one of its own options
    others = [one.name for one in fields if value in one.options]
    hint = f"{value!r} is an option of {others[0]!r}" if others else None
    return replace(problem, patch=None, hint=hint) if others else problem
