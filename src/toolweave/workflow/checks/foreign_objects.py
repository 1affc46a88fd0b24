"""Objects and lists that other systems have in place of a reference or a condition.

`["load", "rows"]`, `{"type": "expression", "value": "{{ load.rows }}"}` and
`{"left": "load.count", "operator": "gt", "right": 1}` become text, where that is one.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import compile_text
from toolweave.cel.paths import Path, quoted, write_path
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import SELECTORS, is_wrapped
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.cel_fields import CEL_FIELDS
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import ForeignRepair
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.model import Node

_LEFT = ("left", "leftValue", "field", "variable", "path", "lhs", "key", "fact", "attribute")
_SIGN = ("operator", "op", "operation", "comparison", "comparator", "condition")
_RIGHT = ("right", "rightValue", "value", "rhs", "expected", "compareTo", "target")
_NODES = ("node", "nodeId", "node_id", "step", "stepId", "step_id", "task", "source")
_FIELDS = ("field", "output", "key", "property", "path")
_LISTS = {"cases": "when", "conditions": "expression"}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield references and conditions that are written as objects or lists."""
    repair = ForeignRepair(case)
    for facts in node_table(case).nested:
        if facts.spec is None:
            continue
        for part, given in (("configurations", facts.settings), ("inputParams", facts.inputs)):
            if any(isinstance(one, dict | list) for one in given.values()):
                place = f"{facts.place}/{part}"
                yield from _values(repair, facts.node, facts.spec, given, place)


def _values(
    repair: ForeignRepair, node: Node, spec: NodeSpec, given: JsonObject, place: str
) -> Iterator[Problem]:
    fields = {field.name: field.type for field in (*spec.all_configurations, *spec.inputs)}
    expressions = {field.name for field in CEL_FIELDS.get(spec.ref, ())}
    for name, value in given.items():
        at = place + pointer(name)
        if name in expressions and isinstance(value, dict):
            yield from _condition(repair, node, value, at)
        elif name in _LISTS and isinstance(value, list):
            for index, item in enumerate(value):
                inner = item.get(_LISTS[name]) if isinstance(item, dict) else None
                if isinstance(inner, dict):
                    yield from _condition(repair, node, inner, f"{at}/{index}/{_LISTS[name]}")
        elif isinstance(value, dict | list) and fields.get(name) not in {"object", "any", None}:
            ours = _reference(repair, node, value)
            if ours is not None:
                yield _problem(at, value, ours)


def _reference(repair: ForeignRepair, node: Node, value: Json) -> str | None:
    """The placeholder that an object or a list stands for."""
    if isinstance(value, dict) and is_wrapped(value):
        inner = value["value"]
        is_template = isinstance(inner, str) and "{{" in inner
        return str(inner) if is_template else None
    path = _selected(value)
    is_declared = path is not None and repair.is_declared(node, path)
    return f"{{{{ {write_path(path)} }}}}" if path and is_declared else None


def _selected(value: Json) -> Path | None:
    match value:
        case [str(), str(), *_] if all(isinstance(one, str) for one in value):
            return tuple(str(one) for one in value)
        case dict() if len(value) == 1 and value.keys() <= SELECTORS:
            ((inner),) = value.values()
            return compile_text(inner).path if isinstance(inner, str) else _selected(inner)
        case dict() if len(value) == 2:
            node, field = _first(value, _NODES), _first(value, _FIELDS)
            is_pair = isinstance(node, str) and isinstance(field, str)
            return compile_text(f"{node}.{field}").path if is_pair else None
        case _:
            return None


def _condition(repair: ForeignRepair, node: Node, value: JsonObject, at: str) -> Iterator[Problem]:
    text = _compared(value)
    if text is None:
        return
    is_cel = compile_text(text).is_ours
    ours = repair.repaired(node, text, "own", is_any=is_cel)
    if ours is not None:
        yield _problem(at, value, ours)


def _compared(value: JsonObject) -> str | None:
    """The condition as text, with the sign or the word that the object has for it."""
    left, sign = _first(value, _LEFT), _first(value, _SIGN)
    if isinstance(sign, dict):
        sign = _first(sign, _SIGN)
    has_right = any(key in value for key in _RIGHT)
    if not isinstance(left, str) or not isinstance(sign, str) or len(value) > 4 or not has_right:
        return None
    words = "".join(f" {one.lower()}" if one.isupper() else one for one in sign)
    return f"{_bare(left)} {words.replace('_', ' ').strip()} {_literal(_first(value, _RIGHT))}"


def _literal(value: Json) -> str:
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case int() | float():
            return str(value)
        case str() if value.strip().startswith("{{"):
            return _bare(value)
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case dict():
            return "{}"


def _bare(text: str) -> str:
    return text.strip().removeprefix("=").removeprefix("{{").removesuffix("}}").strip()


def _first(value: JsonObject, keys: tuple[str, ...]) -> Json:
    return next((value[key] for key in keys if key in value), None)


def _problem(at: str, value: Json, ours: str) -> Problem:
    return Problem(
        "TEMPLATE_FOREIGN_SYNTAX",
        at,
        f"{shown(value)} is how another system refers to a value; here it is a text",
        hint=f"write {ours!r}"[:300],
        severity="warning",
        patch=({"op": "replace", "path": at, "value": ours},),
    )
