"""FLOW.IF and FLOW.SWITCH with comparisons in parts, as other systems write them.

`left`, `operator` and `right`, a list of such conditions, and a value beside the cases it may have.
"""

from collections.abc import Iterator, Mapping

from toolweave.cel.language import compile_text
from toolweave.cel.paths import quoted
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, node_table

CODE = "FIELD_FORM_UNUSUAL"
_REFS = ("FLOW.IF", "FLOW.SWITCH")
_LEFT = frozenset({"left", "leftvalue", "value1", "field", "variable", "lhs", "key", "path"})
_SIGN = frozenset({"operator", "operation", "op", "comparison", "comparator", "condition"})
_RIGHT = frozenset({"right", "rightvalue", "value2", "value", "rhs", "compareto"})
_LISTS = frozenset({"conditions", "rules", "filters"})
_HOW = frozenset({"combinator", "logic", "logicaloperator", "combine", "match", "combinewith"})
_JOINED = {"and": " && ", "all": " && ", "or": " || ", "any": " || "}
_OF_SWITCH = frozenset(
    {"expression", "value", "field", "variable", "switchon", "switchexpression", "on", "input"}
    | {"switchvalue", "switch", "key", "property", "path"}
)
_SIGNS = {
    **dict.fromkeys(("==", "=", "===", "equals", "equal", "eq", "is"), "{} == {}"),
    **dict.fromkeys(("!=", "!==", "<>", "notequals", "notequal", "neq", "ne"), "{} != {}"),
    **dict.fromkeys((">", "gt", "greaterthan", "larger"), "{} > {}"),
    **dict.fromkeys((">=", "gte", "greaterorequal", "greaterthanorequal"), "{} >= {}"),
    **dict.fromkeys(("<", "lt", "lessthan", "smaller"), "{} < {}"),
    **dict.fromkeys(("<=", "lte", "lessorequal", "lessthanorequal"), "{} <= {}"),
    "contains": "{}.contains({})",
    "startswith": "{}.startsWith({})",
    "endswith": "{}.endsWith({})",
}
_BRACED = pattern(r"\{\{(?P<inside>[^{}]*)\}\}")
_SEPARATORS = pattern(r"[\s_-]+")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield decisions whose comparison is not written as an expression."""
    for facts in node_table(case).of_refs(_REFS):
        spec, settings = facts.spec, facts.settings
        if spec is None or spec.origin is not None:
            continue
        if spec.ref == "FLOW.IF" and "condition_expression" not in settings:
            yield from _of_if(facts)
        elif spec.ref == "FLOW.SWITCH" and isinstance(settings.get("cases"), list):
            yield from _of_switch(facts)


def _of_if(facts: NodeFacts) -> Iterator[Problem]:
    known = {one.name for one in facts.spec.all_configurations} if facts.spec else set[str]()
    given: JsonObject = {key: one for key, one in facts.settings.items() if key not in known}
    names = {_plain(key): key for key in given}
    lists = [names[one] for one in names if one in _LISTS and given[names[one]]]
    if len(lists) == 1:
        text = _all(given[lists[0]], [given[names[one]] for one in names if one in _HOW])
        rest = names.keys() - _HOW - {_plain(lists[0])}
    else:
        text, rest = _comparison(given), frozenset[str]()
    if text is not None and not rest:
        place = f"{facts.place}/configurations"
        removed = tuple({"op": "remove", "path": place + pointer(key)} for key in given)
        add = {"op": "add", "path": f"{place}/condition_expression", "value": text}
        message = "the condition is given in parts; expected one expression"
        hint = f"write 'condition_expression' as {shown(text)}"
        yield Problem(
            CODE, place + pointer(next(iter(given))), message, hint, "warning", (*removed, add)
        )


def _all(listed: Json, how: list[Json]) -> str | None:
    """All conditions of a list as one expression."""
    conditions = listed if isinstance(listed, list) else [listed]
    texts = [_comparison(one) if isinstance(one, dict) else None for one in conditions]
    found = [one for one in texts if one is not None]
    if not found or len(found) != len(texts) or len(how) > 1:
        return None
    if len(found) == 1:
        return found[0]
    # Without a word, other systems differ in whether all must hold.
    sign = _JOINED.get(how[0].casefold()) if how and isinstance(how[0], str) else None
    return sign.join(found) if sign is not None else None


def _comparison(parts: Mapping[str, Json]) -> str | None:
    """`left operator right` as CEL; None if a part is missing, or there are others."""
    found: dict[str, Json] = {}
    for key, value in parts.items():
        for name, words in (("left", _LEFT), ("sign", _SIGN), ("right", _RIGHT)):
            if _plain(key) in words and name not in found:
                found[name] = value
                break
        else:
            return None
    form = _SIGNS.get(_plain(str(found.get("sign"))))
    left = _path(found.get("left"))
    right = _operand(found["right"]) if "right" in found else None
    return form.format(left, right) if form and left and right else None


def _of_switch(facts: NodeFacts) -> Iterator[Problem]:
    settings = facts.settings
    given = [key for key in settings if _plain(key) in _OF_SWITCH]
    cases = settings["cases"]
    path = _path(settings[given[0]]) if len(given) == 1 else None
    values = [_case(one) for one in cases] if isinstance(cases, list) else []
    texts = [one for one in values if one is not None]
    if path is None or not texts or len(texts) != len(values):
        return
    place = f"{facts.place}/configurations"
    made: list[Json] = [{"when": f"{path} == {one}"} for one in texts]
    message = f"{given[0]!r} is apart from the values of 'cases'; each case is an expression"
    hint = f"write 'cases' as {shown(made)}"
    patch = (
        {"op": "remove", "path": place + pointer(given[0])},
        {"op": "replace", "path": f"{place}/cases", "value": made},
    )
    yield Problem(CODE, place + pointer(given[0]), message, hint, "warning", patch)


def _case(one: Json) -> str | None:
    """The value of a case, given plainly or as its only member."""
    if isinstance(one, dict):
        values = [value for key, value in one.items() if _plain(key) in ("value", "case", "equals")]
        return _operand(values[0]) if len(one) == len(values) == 1 else None
    return _operand(one)


def _path(value: Json) -> str | None:
    """A reference, with or without braces."""
    if not isinstance(value, str):
        return None
    braced = _BRACED.fullmatch(value.strip())
    found = compile_text((braced["inside"] if braced else value).strip())
    is_path = found.path is not None and (braced is not None or len(found.path) > 1)
    return found.text if is_path and not found.faults else None


def _operand(value: Json) -> str | None:
    """A constant or a reference in braces as CEL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str) or ("{" in value and _path(value) is None):
        return None
    return _path(value) if "{" in value else quoted(value)


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()
