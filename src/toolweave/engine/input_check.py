"""Checks the inputs of a run against its workflow's `inputSchema`."""

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import compile_schema
from toolweave.workflow.model import Workflow

SCHEMA = "inputSchema"


def input_error(workflow: Workflow, inputs: Json) -> Invalid | None:
    """Return the error for invalid inputs of a run; its pointers lead into the inputs."""
    schema = workflow.extras.get(SCHEMA)
    if not isinstance(schema, dict) or not schema:
        return None
    given: Json = {} if inputs is None else inputs
    found = check_value(compile_schema(schema), given)
    problems = [one for one in found if one.severity == "error"]
    return _refusal(workflow, problems) if problems else None


def error_of(refused: Invalid) -> JsonObject:
    """Return a refusal as the error of a run that ended before it executed a step."""
    problems: list[Json] = [problem.as_json() for problem in refused.problems]
    step = refused.facts.get("step")
    return {
        "code": refused.code,
        "message": refused.message,
        "hint": refused.hint,
        "problems": problems,
        **({"failedAt": step} if isinstance(step, str) else {}),
    }


def _refusal(workflow: Workflow, problems: list[Problem]) -> Invalid:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    problem = f"{first.pointer or '/'}: {first.message}{more}"
    return Invalid(
        "RUN_INPUT_INVALID",
        f"the inputs do not match the schema of workflow {workflow.name!r}: {problem}",
        problems=problems,
        hint=f"see the workflow's `{SCHEMA}`",
    )
