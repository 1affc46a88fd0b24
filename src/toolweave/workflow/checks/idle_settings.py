"""Settings that have no effect beside others, and nodes that would do nothing.

Warnings: the run goes on. `Field.used_when` says with which values of another setting a field is
used.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.left_out_choices import LEFT_OUT, left_out, left_out_choice
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.checks.templated_values import has_template
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

_CODE = "VALUE_UNLIKELY"
_CONFIGURATIONS, _INPUTS = "configurations", "inputParams"
# Nodes that do nothing without any of these settings.
_NEEDS_ONE = {
    "ACTION.SET_FIELDS": ("set", "expressions", "rename", "remove"),
}
# Operation -> the inputs of which one says what it is about; without any it does nothing.
_ABOUT: dict[tuple[str, str], tuple[str, ...]] = {
    ("MEMORY.KEY_VALUE_STORE", "set"): ("value",),
    ("MEMORY.ENTITY", "note"): ("text",),
    ("MEMORY.ENTITY", "set"): ("facts",),
    ("MEMORY.ENTITY", "recall"): ("text",),
    ("MEMORY.DOCUMENT_STORE", "search"): ("query", "filters"),
    ("MEMORY.DOCUMENT_STORE", "update"): ("content", "title", "tags", "metadata"),
}


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a specification says about idle settings."""

    # Fields that are used with some values of another one, each with that.
    dependent: tuple[tuple[Field, Field], ...]
    required_texts: frozenset[str]
    # Limits that -1 switches off.
    limits: frozenset[str]


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield settings without effect, and nodes that have nothing to do."""
    for facts, spec, idle in node_table(case).having(_idle):
        settings, inputs = facts.settings, facts.inputs
        if idle.required_texts or idle.limits:
            yield from _empty(idle, settings, inputs, facts)
        if idle.dependent:
            for problem in _unused(idle.dependent, settings, inputs, facts.place):
                yield left_out_choice(problem, idle.dependent, facts, spec)
        if spec.ref in LEFT_OUT:
            yield from left_out(facts, spec)
        if needed := _NEEDS_ONE.get(spec.ref):
            yield from _nothing(needed, settings, facts.place)
        if facts.node.type == "MEMORY" and case.graph.incoming(facts.node.id):
            yield from _about_nothing(spec, facts.node, inputs, facts.place)


def _idle(spec: NodeSpec) -> _Facts | None:
    if spec.origin is not None:
        return None
    known = {one.name: one for one in spec.configurations}
    fields = (*spec.configurations, *spec.inputs)
    found = _Facts(
        tuple(
            (one, known[one.used_when[0]])
            for one in spec.configurations
            if one.used_when and one.used_when[0] in known
        ),
        frozenset(one.name for one in fields if one.required and one.type == "string"),
        frozenset(
            name for name, one in known.items() if name.startswith("max_") and one.minimum == -1
        ),
    )
    is_any = bool(found.dependent or found.required_texts or found.limits)
    return found if is_any or spec.ref in _NEEDS_ONE or spec.type == "MEMORY" else None


def _empty(
    idle: _Facts, settings: JsonObject, inputs: JsonObject, facts: NodeFacts
) -> Iterator[Problem]:
    """Yield required texts without a letter, and limits that leave nothing."""
    for part, values in ((_CONFIGURATIONS, settings), (_INPUTS, inputs)):
        for name in _blank(idle.required_texts, values) if values else ():
            at, message = f"{facts.place}/{part}{pointer(name)}", f"{name!r} is empty"
            yield Problem(_CODE, at, message, hint="write a text", severity="warning")
    for name in idle.limits:
        if settings.get(name) == 0:
            at = f"{facts.place}/{_CONFIGURATIONS}{pointer(name)}"
            message = f"{name!r} is 0, so that nothing is left; -1 is for any number"
            yield Problem(_CODE, at, message, severity="warning")


def _blank(names: frozenset[str], values: JsonObject) -> list[str]:
    found = [name for name in names if name in values]
    return [name for name in found if isinstance(one := values[name], str) and not one.strip()]


def _unused(
    dependent: tuple[tuple[Field, Field], ...], settings: JsonObject, inputs: JsonObject, place: str
) -> Iterator[Problem]:
    for field, decides in dependent:
        given = settings.get(field.name)
        if given in (None, "", [], {}) or given == field.default or decides.name in inputs:
            continue
        chosen: Json = settings.get(decides.name, decides.default)
        word = str(chosen).lower() if isinstance(chosen, bool) else chosen
        wanted = field.used_when[1:]
        if word in wanted or word is None or has_template(chosen):
            continue
        if decides.options and word not in decides.options:
            continue  # another problem
        hint = f"remove it, or set {decides.name!r} to {' or '.join(map(repr, wanted))}"
        message = f"{field.name!r} has no effect while {decides.name!r} is {shown(chosen)}"
        at = f"{place}/{_CONFIGURATIONS}{pointer(field.name)}"
        yield Problem(_CODE, at, message, hint=hint, severity="warning")


def _nothing(needed: tuple[str, ...], settings: JsonObject, place: str) -> Iterator[Problem]:
    if not any(settings.get(name) for name in needed):
        message = f"the node changes nothing without {', '.join(needed[:-1])} or {needed[-1]}"
        at = f"{place}/{_CONFIGURATIONS}"
        yield Problem(_CODE, at, message, hint="set one of them", severity="warning")


def _about_nothing(spec: NodeSpec, node: Node, inputs: JsonObject, place: str) -> Iterator[Problem]:
    operation = inputs.get("operation", object_at(node.data, _CONFIGURATIONS).get("operation"))
    about = _ABOUT.get((spec.ref, operation)) if isinstance(operation, str) else None
    if about and all(inputs.get(name) in (None, "", []) for name in about):
        named = " or ".join(map(repr, about))
        hint = f"write {_INPUTS}.{about[0]}, for example as {{{{ data.… }}}}"
        message = f"{operation!r} without {named} keeps or finds nothing"
        yield Problem(_CODE, f"{place}/{_INPUTS}", message, hint=hint, severity="warning")
