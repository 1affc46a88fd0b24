"""Check the parameters of a call that is another request than a tool call."""

from toolweave.errors import Denied, Invalid
from toolweave.problems import Problem
from toolweave.servers.json_safety import find_unencodable
from toolweave.tools.tool import ToolCall

MAX_URI = 8_192
_NAMES = {
    "resources/read": "uri",
    "prompts/get": "name",
    "completion/complete": "argument",
    "skills/get": "uri",
    "skills/read": "skill",
    "tasks/get": "taskId",
    "tasks/cancel": "taskId",
}


def check_parameters(call: ToolCall) -> None:
    """Raises `Invalid`: `MCP_ARGUMENTS_INVALID`; `Denied`: `SKILL_UNAPPROVED`."""
    uri = str(call.arguments.get("uri"))
    if call.method == "resources/read" and call.source == "assistant" and _is_skill(uri):
        raise Denied(
            "SKILL_UNAPPROVED",
            "a file of a skill is no resource for a model",
            hint="approved skills have a tool of their own, which checks what it reads",
        )
    problems = list(find_unencodable(call.arguments))
    required = _NAMES.get(call.method)
    if required is not None:
        value = call.arguments.get(required)
        if not isinstance(value, str) or not value or len(value) > MAX_URI:
            message = f"expected a text of 1 to {MAX_URI} characters"
            problems.append(Problem("MCP_ARGUMENTS_INVALID", f"/{required}", message))
    if call.method in ("prompts/get", "completion/complete"):
        key = "arguments" if call.method == "prompts/get" else "known"
        given = call.arguments.get(key) or {}
        if not isinstance(given, dict):
            problems.append(Problem("MCP_ARGUMENTS_INVALID", f"/{key}", "expected an object"))
        else:
            problems += [
                Problem("MCP_ARGUMENTS_INVALID", f"/{key}/{name}", "expected a text")
                for name, value in given.items()
                if not isinstance(value, str)
            ]
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        message = f"the parameters of {call.method} have {count}"
        raise Invalid("MCP_ARGUMENTS_INVALID", message, problems=problems)


def _is_skill(uri: str) -> bool:
    return uri.lower().startswith("skill:")
