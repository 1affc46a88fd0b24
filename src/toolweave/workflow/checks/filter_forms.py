"""FLOW.FILTER with its condition in another form: an expression, or the parts of one condition.

`condition: item.total > 100`, and `field`, `operator` and `value` beside the settings.
"""

from collections.abc import Iterator

from toolweave.cel.language import Expression, compile_text
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.filter_conditions import Conditions, conditions_meant
from toolweave.workflow.checks.node_facts import NodeFacts, node_table

CODE = "FIELD_FORM_UNUSUAL"
_REF = "FLOW.FILTER"
_ROOTS = frozenset({"item", "data", "context"})
_ONE_CONDITION = ({"field", "operator", "value"}, {"field", "operator"})
# An expression can be given beside these; each of the others has conditions of its own form.
_WITH_EXPRESSION = (None, "simple_condition", "complex_expression", "custom_function")
_JOINED = {"AND": " && ", "OR": " || "}
_BRACED = pattern(r"\{\{(?P<inside>[^{}]*)\}\}")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield filters whose condition is where or how a filter does not read it."""
    for facts in node_table(case).of_refs({_REF}):
        spec, settings = facts.spec, facts.settings
        if spec is None or settings.get("custom_filter_function"):
            continue
        if settings.get("filter_type") not in _WITH_EXPRESSION:
            continue
        known = {name for one in spec.all_configurations for name in (one.name, *one.aliases)}
        unknown: JsonObject = {name: settings[name] for name in settings if name not in known}
        if conditions := settings.get("conditions"):
            if (meant := conditions_meant(conditions)) is not None:
                yield _as_conditions(facts, meant)
            else:
                yield from _listed(facts, conditions)
        elif unknown.keys() in _ONE_CONDITION:
            yield _parts(facts, unknown)
        else:
            yield from _named(facts, unknown)


def _listed(facts: NodeFacts, conditions: Json) -> Iterator[Problem]:
    """Yield expressions in the place of conditions."""
    given = conditions if isinstance(conditions, list) else [conditions]
    if facts.settings.get("filter_type", "simple_condition") == "simple_condition" and all(
        isinstance(one, dict) and one.keys() == {"expression"} for one in given
    ):
        place = f"{facts.place}/configurations"
        message = "each condition is an expression; a simple condition has 'field' and 'operator'"
        patch = ({"op": "add", "path": f"{place}/filter_type", "value": "complex_expression"},)
        hint = "set filter_type to 'complex_expression'"
        yield Problem(CODE, f"{place}/conditions", message, hint, "warning", patch)
        return
    found = [_expression(one) for one in given]
    sign = _JOINED.get(str(facts.settings.get("logical_operator", "AND")))
    texts = [one.text for one in found if one is not None]
    if len(texts) == len(found) and (len(texts) == 1 or sign is not None):
        whole = texts[0] if len(texts) == 1 else (sign or "").join(f"({one})" for one in texts)
        yield _as_function(facts, "conditions", whole)


def _as_conditions(facts: NodeFacts, meant: Conditions) -> Problem:
    place = f"{facts.place}/configurations"
    patch: list[JsonObject] = [
        {"op": "replace", "path": f"{place}/conditions", "value": meant.listed}
    ]
    if meant.joined is not None:
        patch.append({"op": "add", "path": f"{place}/logical_operator", "value": meant.joined})
    message = "the conditions are written as in another system; expected a list of conditions"
    hint = f"write {shown(meant.listed)}"
    return Problem(CODE, f"{place}/conditions", message, hint, "warning", tuple(patch))


def _named(facts: NodeFacts, unknown: JsonObject) -> Iterator[Problem]:
    """Yield the only expression over an item, under a name that a filter does not have."""
    found = [(name, one) for name, value in unknown.items() if (one := _expression(value))]
    if len(found) == 1:
        name, expression = found[0]
        yield _as_function(facts, name, expression.text)


def _expression(value: Json) -> Expression | None:
    """The value as CEL that decides about an item; None if it is something else."""
    if not isinstance(value, str):
        return None
    braced = _BRACED.fullmatch(value.strip())
    found = compile_text((braced["inside"] if braced else value).strip())
    roots = {str(one.path[0]) for one in found.references}
    is_decision = found.is_usable and found.kind in ("bool", "dyn") and found.path is None
    return found if is_decision and not found.faults and "item" in roots <= _ROOTS else None


def _as_function(facts: NodeFacts, name: str, text: str) -> Problem:
    place = f"{facts.place}/configurations"
    return Problem(
        CODE,
        place + pointer(name),
        f"{name!r} is the expression {shown(text)}; a filter reads it as 'custom_filter_function'",
        "set filter_type to 'custom_function' and write the expression as 'custom_filter_function'",
        "warning",
        (
            {"op": "remove", "path": place + pointer(name)},
            {"op": "add", "path": f"{place}/filter_type", "value": "custom_function"},
            {"op": "add", "path": f"{place}/custom_filter_function", "value": text},
        ),
    )


def _parts(facts: NodeFacts, unknown: JsonObject) -> Problem:
    place = f"{facts.place}/configurations"
    removed = tuple({"op": "remove", "path": place + pointer(name)} for name in unknown)
    return Problem(
        CODE,
        place + pointer(next(iter(unknown))),
        "'field' and 'operator' belong to a condition in 'conditions'",
        "move them into an item of 'conditions'",
        "warning",
        (*removed, {"op": "add", "path": f"{place}/conditions", "value": [unknown]}),
    )
