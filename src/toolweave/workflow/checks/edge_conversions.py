"""Conversions in Python that an edge of an older file has, which are never run. Not a check."""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.formats.legacy.translate import translate_mapping
from toolweave.workflow.model import Edge


def conversion_not_run(
    case: CheckContext, edge: Edge, place: str, source: Json
) -> Iterator[Problem]:
    """Yield a conversion in Python, with the mapping of the target that says the same."""
    if not isinstance(source, str):
        return
    translation = translate_mapping(source)
    mapping = translation.text
    yield Problem(
        "CONVERSION_NOT_RUN",
        place,
        "the Python conversion is not run: the edge passes the output of its source unchanged"
        if mapping
        else translation.faults[0].problem(place).message,
        hint=f"map it in the receiving node: {{{{ {mapping} }}}}"
        if mapping
        else "map the fields with expressions in the receiving node",
        severity="warning",
        patch=_mapped(case, edge, place, mapping) if mapping else None,
    )


def _mapped(
    case: CheckContext, edge: Edge, place: str, mapping: str
) -> tuple[dict[str, Json], ...] | None:
    """Return operations that set the target's `data` to the mapping, if nothing else does."""
    remove: dict[str, Json] = {"op": "remove", "path": place}
    if mapping == "data":
        return (remove,)
    target = case.graph.nodes.get(edge.target)
    spec = case.spec(target) if target else None
    if target is None or spec is None or len(case.graph.incoming(target.id)) != 1:
        return None
    takes_it = any(one.name == "data" and one.type in {"any", "object"} for one in spec.inputs)
    given = target.data.get("inputParams", {})
    if not takes_it or not isinstance(given, dict) or "data" in given:
        return None
    value: Json = f"{{{{ {mapping} }}}}"
    if "inputParams" in target.data:
        path = case.at(target, "data", "inputParams") + pointer("data")
        return ({"op": "add", "path": path, "value": value}, remove)
    path = case.at(target, "data", "inputParams")
    return ({"op": "add", "path": path, "value": {"data": value}}, remove)
