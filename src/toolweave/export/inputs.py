"""What a workflow is given: a section that names it, and the hint of a command's arguments."""

from collections.abc import Iterator

from toolweave.export.agent_page import AgentPage
from toolweave.export.sections import value_text
from toolweave.export.user_text import code, one_line, prose
from toolweave.json_text import JsonObject
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import object_at, text_at

_MOST_CHARS = 200
_MOST_CHOICES = 20


def inputs_section(page: AgentPage) -> Iterator[str]:
    """The lines of the section; none if the workflow reads no input."""
    lines = [f"- {line}" for line in input_lines(page.workflow)]
    if lines:
        yield page.heading(2, "Inputs")
        yield "Use what the user gave; ask for the required values that are missing.\n"
        yield from lines


def input_lines(workflow: Workflow) -> Iterator[str]:
    """Each input with its type, whether it is required, and its description."""
    for name, (schema, is_required) in _inputs(workflow).items():
        kind = text_at(schema, "type") or "any"
        needed = "required" if is_required else "optional"
        about = [prose(one_line(text_at(schema, "description"), _MOST_CHARS)), *_values(schema)]
        text = " ".join(part for part in about if part)
        yield f"{code(name)} ({one_line(kind)}, {needed})" + (f": {text}" if text else "")


def argument_hint(workflow: Workflow) -> str | None:
    """`<city> [days]`, as commands show it."""
    given = _inputs(workflow)
    names = [
        f"<{one_line(name)}>" if is_required else f"[{one_line(name)}]"
        for name, (_, is_required) in given.items()
    ]
    return " ".join(names)[:_MOST_CHARS] or None


def _values(schema: JsonObject) -> Iterator[str]:
    """Which values are allowed, and which one is used if none is given."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        shown = ", ".join(value_text(choice) for choice in choices[:_MOST_CHOICES])
        yield f"One of {shown}{', …' if len(choices) > _MOST_CHOICES else '.'}"
    if (default := schema.get("default")) is not None:
        yield f"Default: {value_text(default)}."


def _inputs(workflow: Workflow) -> dict[str, tuple[JsonObject, bool]]:
    """The schema of each input, and whether it is required; the required ones first."""
    schema = object_at(workflow.extras, "inputSchema")
    listed = schema.get("required")
    required = (
        [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    )
    properties = object_at(schema, "properties")
    ordered = sorted(properties, key=lambda name: name not in required)
    return {name: (object_at(properties, name), name in required) for name in ordered}
