"""Questions that a tool asks during a call, shown to the person at the terminal."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

import anyio

from toolweave.cli.prompts import confirm, read_line
from toolweave.cli.terminal import say, visible
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import pointer
from toolweave.tools.check import check_arguments
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.question import CONFIRMED, REJECTED

_APPROVAL = (CONFIRMED, REJECTED)
_YES_OR_NO = {"y": True, "yes": True, "n": False, "no": False}


async def ask_on_terminal(question: ElicitationQuestion) -> ElicitationAnswer:
    """Ask field by field; an empty line skips an optional field, Ctrl-D declines."""
    say((question.server, "bold"), f" asks: {question.message}", stderr=True)
    if question.url is not None:
        say(f"It asks you to visit {question.url}", indent=2, stderr=True)
        return ElicitationAnswer("accept" if await confirm("  Done?") else "decline")
    form = read_tool("question", {"name": "question", "inputSchema": question.schema or {}})
    if not form.parameters:
        return (
            ElicitationAnswer("accept", {})
            if await confirm("  Yes?")
            else ElicitationAnswer("decline")
        )
    say("(Ctrl-D declines)", indent=2, stderr=True)
    content = await _fill(form)
    return ElicitationAnswer("decline") if content is None else ElicitationAnswer("accept", content)


def answer_question(
    question: dict[str, Any],
    ask: Callable[[ElicitationQuestion], Awaitable[ElicitationAnswer]],
) -> dict[str, Any]:
    """Ask a question that came as JSON and return the answer as JSON."""
    return asdict(anyio.run(ask, ElicitationQuestion(**question)))


async def _fill(form: Tool) -> JsonObject | None:
    filled: JsonObject = {}
    for parameter in form.parameters:
        answer = await _ask(form, parameter)
        if answer is None:
            return None
        filled |= answer
    return filled


async def _ask(form: Tool, parameter: Parameter) -> JsonObject | None:
    while True:
        typed = await read_line(f"  {visible(_label(parameter), one_line=True)}: ")
        if typed is None:
            return None
        if not typed and parameter.has_default:
            return {parameter.name: parameter.default}
        if not typed and not parameter.required:
            return {}
        value, wrong = _value(form, parameter, typed)
        if wrong is None:
            return {parameter.name: value}
        say(wrong, indent=4, stderr=True)


def _label(parameter: Parameter) -> str:
    label = parameter.title or parameter.name
    if parameter.description:
        label += f" - {parameter.description}"
    if parameter.kind == "boolean" or _is_approval(parameter):
        label += " (y/n)"
    elif parameter.constraints.enum:
        label += f" (one of {', '.join(write(value) for value in parameter.constraints.enum[:12])})"
    if parameter.has_default:
        return f"{label} [{_typed(parameter)}]"
    return label if parameter.required else f"{label} (optional)"


def _is_approval(parameter: Parameter) -> bool:
    return parameter.constraints.enum == _APPROVAL


def _typed(parameter: Parameter) -> str:
    if isinstance(parameter.default, bool):
        return "y" if parameter.default else "n"
    return parameter.default if isinstance(parameter.default, str) else write(parameter.default)


def _value(form: Tool, parameter: Parameter, typed: str) -> tuple[Json, str | None]:
    """Return the typed value and its problems."""
    is_yes = _YES_OR_NO.get(typed.lower())
    if is_yes is not None and parameter.kind == "boolean":
        typed = write(is_yes)
    elif is_yes is not None and _is_approval(parameter):
        typed = CONFIRMED if is_yes else REJECTED
    arguments, problems = coerce_arguments(form, (f"{parameter.name}={typed}",))
    if not problems:
        at = pointer(parameter.name)
        problems = [
            problem
            for problem in check_arguments(form, arguments)
            if f"{problem.pointer}/".startswith(f"{at}/") and problem.severity == "error"
        ]
    return arguments.get(parameter.name), problems[0].message if problems else None
