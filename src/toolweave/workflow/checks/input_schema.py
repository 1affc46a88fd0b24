"""The declared input of a workflow: a JSON Schema of an object, for runs and published tools."""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.schema import compile_schema
from toolweave.tools.schema_repair import meant_schema
from toolweave.tools.schema_slips import without_keywords, without_slips, wrong_defaults
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.json_patch import difference
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

CODE = "INPUT_SCHEMA_INVALID"
_KEY = "inputSchema"
_STARTS = frozenset({"start", "TRIGGER"})
# Of forms with very many fields only; they can be used.
_LIMIT = "MCP_TOOL_LIMIT_EXCEEDED"


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the fault of a schema that values cannot be checked against."""
    if case.is_subflow:
        return
    if _KEY not in case.workflow.extras:
        yield from _misplaced(case.workflow.metadata)
        yield from _in_start(case)
        return
    given = case.workflow.extras[_KEY]
    if given is not None and (found := schema_problem(given)) is not None:
        yield placed(found, pointer(_KEY))
    elif isinstance(given, dict):
        yield from (placed(one, pointer(_KEY)) for one in schema_slips(given))


def _misplaced(metadata: JsonObject) -> Iterator[Problem]:
    """A schema in the metadata, where nothing reads it."""
    for name in (_KEY, "input_schema"):
        if isinstance(metadata.get(name), dict):
            at = pointer("metadata", name)
            yield Problem(
                CODE,
                at,
                "the input schema has no effect in the metadata",
                hint=f"move it to {_KEY!r} of the workflow",
                severity="warning",
                patch=({"op": "move", "from": at, "path": pointer(_KEY)},),
            )


def _in_start(case: CheckContext) -> Iterator[Problem]:
    """A schema in the node that starts the workflow, where nothing reads it."""
    starts = [node for node in case.graph.nodes.values() if node.type in _STARTS]
    found = [
        case.at(node, "data", *steps, name)
        for node in starts
        for steps, owner in (((), node.data), (("configurations",), _settings(node)))
        for name in (_KEY, "input_schema")
        if isinstance(owner.get(name), dict)
    ]
    for at in found:
        patch = ({"op": "move", "from": at, "path": pointer(_KEY)},)
        yield Problem(
            CODE,
            at,
            "the input schema has no effect in a node",
            hint=f"move it to {_KEY!r} of the workflow",
            severity="warning",
            patch=patch if len(found) == len(starts) == 1 else None,
        )


def _settings(node: Node) -> JsonObject:
    return object_at(node.data, "configurations")


def schema_slips(given: JsonObject) -> Iterator[Problem]:
    """What has no effect in a schema that can be used."""
    steps = difference(given, without_slips(given))
    if steps:
        place = next((str(one["path"]) for one in steps if one["op"] == "remove"), None)
        yield Problem(
            CODE,
            place or str(steps[0]["path"]),
            "a part of the input schema has no effect as it is written",
            hint="apply the fix, which writes it as JSON Schema",
            severity="warning",
            patch=tuple(steps),
        )
        return
    for one in compile_schema(given).problems:
        if one.code != _LIMIT:
            message = f"a part of the input schema has no effect: {one.message}"
            yield replace(one, code=CODE, message=message, severity="warning", patch=None)
    properties = given.get("properties")
    required = given.get("required")
    for at, name in enumerate(required if isinstance(required, list) else ()):
        if isinstance(properties, dict) and isinstance(name, str) and name not in properties:
            message = f"the input {shown(name)} is required and not described in 'properties'"
            yield Problem(CODE, pointer("required", at), message, severity="warning")
    yield from wrong_defaults(given)
    yield from without_keywords(given)


def schema_problem(given: Json) -> Problem | None:
    """The first fault of a schema, with the patch that makes it the one that is meant."""
    if not isinstance(given, dict):
        return Problem(CODE, "", f"the input schema is {shown(given)}; expected an object")
    meant = meant_schema(given)
    patch = tuple(difference(given, meant))
    faults = [one for one in compile_schema(given).problems if one.code != _LIMIT]
    errors = [one for one in faults if one.severity == "error"]
    if not errors and not (patch and _changes(given, meant)):
        return None
    place = errors[0].pointer if errors else str(patch[0]["path"])
    if any(one.severity == "error" for one in compile_schema(_object(meant)).problems):
        patch = None
    message = f"the input schema cannot be used: {errors[0].message}" if errors else _MEANT
    return Problem(
        CODE, place, message, hint=errors[0].hint if errors else None, patch=patch or None
    )


_MEANT = "the input schema is not written as JSON Schema; the fix writes it so"


def _changes(given: dict[str, Json], meant: Json) -> bool:
    """Whether more is meant than a type that may be left out."""
    return {"type": "object", **given} != meant


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
