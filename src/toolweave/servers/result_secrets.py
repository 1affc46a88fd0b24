"""Remove from a tool's result the secrets that its server was given."""

from dataclasses import replace

from toolweave.access.mask import Masker
from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.tools.tool import Content, ToolResult


def hide_secrets(result: ToolResult, secrets: Masker) -> ToolResult:
    """Return the result with every known secret replaced: texts, bytes, structured content."""
    if not secrets.knows_any:
        return result
    return replace(
        result,
        content=tuple(_block(block, secrets) for block in result.content),
        structured=secrets.hide(result.structured),
        problems=tuple(_problem(problem, secrets) for problem in result.problems),
    )


def _block(block: Content, secrets: Masker) -> Content:
    return replace(
        block,
        text=None if block.text is None else secrets.hide_text(block.text),
        data=None if block.data is None else secrets.hide_bytes(block.data),
        uri=None if block.uri is None else secrets.hide_text(block.uri),
        mime_type=None if block.mime_type is None else secrets.hide_text(block.mime_type),
        name=None if block.name is None else secrets.hide_text(block.name),
        title=None if block.title is None else secrets.hide_text(block.title),
        description=None if block.description is None else secrets.hide_text(block.description),
        about=_about(block.about, secrets),
    )


def _about(about: JsonObject, secrets: Masker) -> JsonObject:
    hidden = secrets.hide(about) if about else about
    return hidden if isinstance(hidden, dict) else {}


def _problem(problem: Problem, secrets: Masker) -> Problem:
    return replace(problem, message=secrets.hide_text(problem.message))
