"""The declared input of a workflow: a JSON Schema of an object, for runs and published tools."""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.schema import compile_schema
from toolweave.tools.schema_repair import meant_schema
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.json_patch import difference

CODE = "INPUT_SCHEMA_INVALID"
_KEY = "inputSchema"
# Of forms with very many fields only; they can be used.
_LIMIT = "MCP_TOOL_LIMIT_EXCEEDED"


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the fault of a schema that values cannot be checked against."""
    if case.is_subflow or _KEY not in case.workflow.extras:
        return
    given = case.workflow.extras[_KEY]
    if given is not None and (found := schema_problem(given)) is not None:
        yield placed(found, pointer(_KEY))


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
