"""Variables of flows as `{key, value}`: what other systems call the key, and the value."""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.meaning import plain_word
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

_KINDS = frozenset({"multi_input", "input"})
_KEYS = frozenset(
    {"name", "id", "variable", "var", "varname", "variablename", "field", "label", "title", "param"}
    | {"parameter", "identifier", "slug", "k"}
)
_VALUES = frozenset({"default", "defaultvalue", "val", "content", "text", "initial", "v"})
_GAP = pattern(r"\{([A-Za-z_][\w-]*)\}")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield variables whose key or value has another name, so that a run does not read them."""
    for facts in node_table(case).of_kinds(_KINDS):
        variables = facts.node.data.get("variables")
        if not isinstance(variables, list):
            continue
        for at, one in enumerate(variables):
            # Nearly all variables are names, or have both.
            if isinstance(one, dict) and not ("key" in one and "value" in one):
                place = pointer("nodes", facts.index, "data", "variables", at)
                yield from _of_variable(case, one, place)


def _of_variable(case: CheckContext, variable: JsonObject, place: str) -> Iterator[Problem]:
    has_key = isinstance(variable.get("key"), str)
    keys = (
        []
        if has_key
        else [one for one in _named(variable, _KEYS) if isinstance(variable[one], str)]
    )
    if len(keys) > 1:
        used = _used(case)
        keys = [one for one in keys if variable[one] in used] or keys
    values = [] if "value" in variable else _named(variable, _VALUES - {*map(plain_word, keys)})
    for name, found in (("key", keys), ("value", values)):
        if not found or (name == "value" and not (has_key or keys)):
            continue
        listed = " or ".join(repr(one) for one in found)
        move = {"op": "move", "from": place + pointer(found[0]), "path": f"{place}/{name}"}
        yield Problem(
            "FIELD_UNKNOWN",
            place + pointer(found[0]),
            f"a variable of a flow has no {listed}; expected a {name!r}",
            hint=f"rename {listed} to {name!r}",
            severity="warning",
            patch=(move,) if len(found) == 1 else None,
        )


def _named(variable: JsonObject, names: frozenset[str]) -> list[str]:
    return [key for key in variable if plain_word(key) in names]


def _used(case: CheckContext) -> set[Json]:
    """The names in the templates of the flow."""
    texts = (node.data.get("template") for node in case.workflow.nodes)
    return {name for text in texts if isinstance(text, str) for name in _GAP.findall(text)}
