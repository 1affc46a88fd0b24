"""Tools that validate, store, run and publish workflows."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import CHANGES, READS, ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}
_OBJECT: JsonObject = {"type": "object"}
_TOKENS: JsonObject = {"type": "integer"}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "validate_workflow",
        "Check workflow",
        "Check a workflow; problems have a hint and often a JSON Patch that fixes them",
        "workflow",
        hints=READS,
        workflow=_OBJECT,
        max_tokens=_TOKENS,
    ),
    define(
        "run_workflow",
        "Run workflow",
        "Run a saved workflow, or the one given",
        name=_TEXT,
        workflow=_OBJECT,
        inputs=_OBJECT,
    ),
    define(
        "publish_workflow",
        "Publish",
        "Publish a saved workflow as a tool",
        "name",
        hints=CHANGES,
        name=_TEXT,
        tool=_TEXT,
        description=_TEXT,
    ),
    define(
        "explain_problem",
        "Explain code",
        "Explain the code of a problem",
        "code",
        hints=READS,
        code=_TEXT,
    ),
)

# The stored workflows, and templates for new ones.
STORED: tuple[ToolDefinition, ...] = (
    define(
        "get_template",
        "Templates",
        "A template by name, or templates by query",
        hints=READS,
        name=_TEXT,
        query=_TEXT,
    ),
    define(
        "list_workflows",
        "Workflows",
        "List saved workflows",
        hints=READS,
        max_tokens=_TOKENS,
    ),
    define(
        "get_workflow",
        "Workflow",
        "A saved workflow as written, with its revision",
        "name",
        hints=READS,
        name=_TEXT,
        max_tokens=_TOKENS,
    ),
    define(
        "save_workflow",
        "Save workflow",
        "Save a workflow; give `revision` to replace one",
        "workflow",
        hints=CHANGES,
        workflow=_OBJECT,
        revision=_TEXT,
    ),
    define(
        "patch_workflow",
        "Edit workflow",
        "Change a saved workflow by JSON Patch",
        "name",
        "patch",
        "revision",
        hints=CHANGES,
        name=_TEXT,
        patch={"type": "array", "items": _OBJECT},
        revision=_TEXT,
    ),
)

# One node, and a run.
DIAGNOSTICS: tuple[ToolDefinition, ...] = (
    define(
        "test_node",
        "Test node",
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
        "Explain run",
        "Why a run failed: step, input, patch",
        "run_id",
        hints=READS,
        run_id=_TEXT,
    ),
)
