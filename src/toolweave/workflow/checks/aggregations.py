"""Aggregations of ACTION.DATA_TRANSFORMATION in the notation of SQL or as objects.

`count(*)`, `{"function": "sum", "field": "amount"}`, and a list of such with the new names.
"""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.meaning import meant
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

CODE = "FIELD_FORM_UNUSUAL"
_REF = "ACTION.DATA_TRANSFORMATION"
_NAME = "aggregation_functions"
_FUNCTIONS = ("count", "sum", "avg", "min", "max", "first", "last")
# `AVG(amount)`, `avg:amount`, `avg amount`
_NOTATION = pattern(r"(?P<name>[A-Za-z]+)(?:\s*\(\s*|\s*:\s*|\s+)(?P<field>[\w.]+)\s*\)?")
_CALLED = frozenset({"function", "func", "fn", "operation", "op", "aggregate", "agg", "type"})
_OF = frozenset({"field", "column", "path", "of", "source", "on", "key"})
_NAMED = frozenset({"alias", "as", "name", "output", "target", "output_field", "result"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield aggregations that are written in another form."""
    for facts in node_table(case).of_refs({_REF}):
        given = facts.settings.get(_NAME)
        place = f"{facts.place}/configurations/{_NAME}"
        if isinstance(given, list):
            made = _listed(given)
            if made is not None:
                yield _problem(place, given, made)
            continue
        for name, one in given.items() if isinstance(given, dict) else ():
            if (text := _written(one)) is not None and text != one:
                yield _problem(place + pointer(name), one, text)


def _problem(place: str, given: Json, made: Json) -> Problem:
    message = f"{shown(given)} is another form; expected {shown(made)}"
    patch = ({"op": "replace", "path": place, "value": made},)
    return Problem(CODE, place, message, f"use {shown(made)}", "warning", patch)


def _written(one: Json) -> str | None:
    """An aggregation as text: `sum(amount)`."""
    if isinstance(one, str):
        if one.replace(" ", "").lower() == "count(*)":
            return "count"
        found = _NOTATION.fullmatch(one.strip())
        return _function(found["name"], found["field"]) if found else None
    if isinstance(one, dict) and len(one) == 1:
        ((name, field),) = one.items()
        if name.lower() in _FUNCTIONS and isinstance(field, str):
            return _function(name, field)
    if not isinstance(one, dict) or not one.keys() <= _CALLED | _OF:
        return None
    called = [value for key, value in one.items() if key in _CALLED]
    fields = [value for key, value in one.items() if key in _OF]
    if len(called) != 1 or len(fields) > 1 or not isinstance(called[0], str):
        return None
    name = [called[0]] if called[0] in _FUNCTIONS else meant(called[0], _FUNCTIONS)
    field = fields[0] if fields else None
    if len(name) != 1 or not (field is None or isinstance(field, str)):
        return None
    return f"{name[0]}({field})" if field and field != "*" else name[0]


def _function(name: str, field: str) -> str | None:
    """`avg(amount)`, where the function is one of ours in any case."""
    return f"{name.lower()}({field})" if name.lower() in _FUNCTIONS and field != "*" else None


def _listed(given: list[Json]) -> JsonObject | None:
    """The object of a list in which each aggregation says its new name."""
    made: JsonObject = {}
    for one in given:
        names = [one[key] for key in one if key in _NAMED] if isinstance(one, dict) else []
        if not isinstance(one, dict) or len(names) != 1 or not isinstance(names[0], str):
            return None
        text = _written({key: value for key, value in one.items() if key not in _NAMED})
        if text is None or names[0] in made:
            return None
        made[names[0]] = text
    return made or None
