"""Tools that validate, store, run and publish workflows."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object"}
_TOKENS: JsonObject = {"type": "integer", "minimum": 50}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "validate_workflow",
        "Check a workflow; problems have a pointer, a hint and often a JSON Patch that fixes them",
        "workflow",
        only_reads=True,
        workflow=_OBJECT,
        max_tokens=_TOKENS,
    ),
    define(
        "run_workflow",
        "Run a saved workflow, or the one given",
        name=_TEXT,
        workflow=_OBJECT,
        inputs=_OBJECT,
    ),
    define(
        "publish_workflow",
        "Publish a saved workflow as a tool",
        "name",
        name=_TEXT,
        tool=_TEXT,
        description=_TEXT,
    ),
    define(
        "explain_problem",
        "Explain the code of a problem",
        "code",
        only_reads=True,
        code=_TEXT,
    ),
)

# The stored workflows, and templates for new ones.
STORED: tuple[ToolDefinition, ...] = (
    define(
        "get_template",
        "A template by name, or templates by query",
        only_reads=True,
        name=_TEXT,
        query=_TEXT,
    ),
    define(
        "list_workflows",
        "List saved workflows",
        only_reads=True,
        max_tokens=_TOKENS,
    ),
    define(
        "get_workflow",
        "A saved workflow as written, with its revision",
        "name",
        only_reads=True,
        name=_TEXT,
        max_tokens=_TOKENS,
    ),
    define(
        "save_workflow",
        "Save a workflow; give `revision` to replace one",
        "workflow",
        workflow=_OBJECT,
        revision=_TEXT,
    ),
    define(
        "patch_workflow",
        "Change a saved workflow by JSON Patch",
        "name",
        "patch",
        "revision",
        name=_TEXT,
        patch={"type": "array", "items": _OBJECT},
        revision=_TEXT,
    ),
)

# One node, and a run.
DIAGNOSTICS: tuple[ToolDefinition, ...] = (
    define(
        "test_node",
        "Try a node (or its id in the saved workflow `name`) on sample outputs of nodes by id, "
        "`trigger`, `data`; no effects unless asked",
        "node",
        node={"anyOf": [_OBJECT, _TEXT]},
        name=_TEXT,
        sample=_OBJECT,
        effects={"type": "boolean"},
    ),
    define(
        "explain_run",
        "Why a run failed: step, input, patch",
        "run_id",
        only_reads=True,
        run_id=_TEXT,
    ),
)
