"""Workflows by an AI client: drafted, checked, mended, saved, run, published."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, offer

_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object"}
_TOKENS: JsonObject = {"type": "integer", "minimum": 50}

OFFERS: tuple[ToolDefinition, ...] = (
    offer(
        "validate_workflow",
        "workflows:read",
        "Check a workflow; problems have a pointer, a hint and often a JSON Patch that mends them",
        "workflow",
        only_reads=True,
        workflow=_OBJECT,
        max_tokens=_TOKENS,
    ),
    offer(
        "save_workflow",
        "workflows:write",
        "Save a workflow; `revision` to replace one",
        "workflow",
        workflow=_OBJECT,
        revision=_TEXT,
    ),
    offer(
        "patch_workflow",
        "workflows:write",
        "Change a saved workflow by JSON Patch",
        "name",
        "patch",
        "revision",
        name=_TEXT,
        patch={"type": "array", "items": _OBJECT},
        revision=_TEXT,
    ),
    offer(
        "run_workflow",
        "workflows:run",
        "Run a saved workflow, or one given",
        name=_TEXT,
        workflow=_OBJECT,
        inputs=_OBJECT,
    ),
    offer(
        "publish_workflow",
        "workflows:write",
        "Make a saved workflow a tool",
        "name",
        name=_TEXT,
        tool=_TEXT,
        description=_TEXT,
    ),
    offer(
        "explain_problem",
        "workflows:read",
        "What a problem's code means",
        "code",
        only_reads=True,
        code=_TEXT,
    ),
)
