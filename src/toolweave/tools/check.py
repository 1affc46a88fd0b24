"""Check values against a tool's schema and report all problems with pointers, hints and fixes.

The compiled schema decides. A call is refused for problems of severity `error`, also for a value
that is too large or too deep to check; warnings report a suspicious format or a long text.
"""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.lint import MAX_STRING_LENGTH
from toolweave.tools.schema import CompiledSchema, compile_schema
from toolweave.tools.tool import Tool
from toolweave.tools.violation_message import describe
from toolweave.tools.violations import MAX_FAULTS, Explainer, TooManyJudgements


def check_arguments(tool: Tool, arguments: Json, *, show_values: bool = True) -> list[Problem]:
    """Return the problems of a call's arguments; without `show_values` no text contains a value."""
    if broken := [problem for problem in tool.problems if problem.severity == "error"]:
        message = f"tool {tool.name!r} cannot be called: {broken[0].message}"
        return [Problem("MCP_TOOL_SCHEMA_INVALID", "", message)]
    return check_value(compile_schema(tool.input_schema), arguments, show_values=show_values)


def check_output(tool: Tool, structured: Json, *, show_values: bool = True) -> list[Problem]:
    """Return the problems of a structured result against the tool's output schema."""
    if tool.output_schema is None:
        return []
    found = check_value(compile_schema(tool.output_schema), structured, show_values=show_values)
    return [
        problem
        if problem.code == "MCP_VALUE_UNCHECKED"
        else replace(problem, code="MCP_OUTPUT_INVALID", patch=None)
        for problem in found
    ]


def check_value(
    compiled: CompiledSchema, value: Json, *, show_values: bool = True
) -> list[Problem]:
    """Return the problems of a value against a compiled schema."""
    verdict, chars = compiled.judge(value)
    if verdict == "unchecked":
        return [_unchecked(compiled, value)]
    found = [] if verdict == "valid" else _explained(compiled, value, show_values=show_values)
    return found if chars <= MAX_STRING_LENGTH else [*found, *_long_texts(value)]


def _explained(compiled: CompiledSchema, value: Json, *, show_values: bool) -> list[Problem]:
    explainer = Explainer(compiled)
    try:
        faults = explainer.faults(compiled.root, value)
        described = describe(faults[:MAX_FAULTS], value, explainer, show_values=show_values)
        found = list(described)
        problems = [_patched_once(problem, found[:index]) for index, problem in enumerate(found)]
    except (TooManyJudgements, RecursionError):
        problems = []
    is_refused = any(problem.severity == "error" for problem in problems)
    if is_refused or (problems and not compiled.refuses_apart_from_formats(value)):
        return problems
    return [*problems, _unexplained()]


def _patched_once(problem: Problem, earlier: list[Problem]) -> Problem:
    """A misspelt key causes two problems, missing and unknown; one patch fixes both."""
    is_known = problem.patch is not None and any(one.patch == problem.patch for one in earlier)
    return replace(problem, patch=None) if is_known else problem


def _unexplained() -> Problem:
    return Problem(
        "MCP_PARAMETER_CONSTRAINT_VIOLATED",
        "",
        "the value does not match the tool's schema; the location could not be determined",
        hint="compare it with the tool's schema",
    )


def _long_texts(value: Json) -> Iterator[Problem]:
    """Yield a warning for each text that is longer than forms support."""
    waiting: list[tuple[Steps, Json]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(((*path, key), below) for key, below in item.items())
        elif isinstance(item, list):
            waiting.extend(((*path, index), below) for index, below in enumerate(item))
        elif isinstance(item, str) and len(item) > MAX_STRING_LENGTH:
            yield Problem(
                "MCP_TOOL_LIMIT_EXCEEDED",
                pointer(*path),
                f"the text has {len(item)} characters; expected at most {MAX_STRING_LENGTH}",
                severity="warning",
            )


def _unchecked(compiled: CompiledSchema, value: Json) -> Problem:
    return Problem(
        "MCP_VALUE_UNCHECKED",
        "",
        f"the value cannot be checked: {compiled.unchecked_reason(value)}",
        hint="send less at once, for example a reference to a file or several calls",
    )
