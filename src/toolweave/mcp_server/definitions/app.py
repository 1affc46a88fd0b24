"""Tools for the app of a published workflow; models neither see nor need them."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import CHANGES, READS, ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}


def _for_app(made: ToolDefinition) -> ToolDefinition:
    return ToolDefinition({**made.definition, "_meta": {"ui": {"visibility": ["app"]}}})


_DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "app_workflow",
        "Workflow form",
        "The inputs of a published tool",
        "tool",
        hints=READS,
        tool=_TEXT,
    ),
    define(
        "app_start",
        "Start run",
        "Start a run of a published tool",
        *("tool", "arguments"),
        tool=_TEXT,
        arguments={"type": "object"},
    ),
    define(
        "app_run",
        "Run timeline",
        "Steps, questions and result of a run; or the open run of a call by its arguments",
        hints=READS,
        run_id=_TEXT,
        tool=_TEXT,
        arguments={"type": "object"},
    ),
    define(
        "app_answer",
        "Answer run",
        "Answer a question of a run, or decide about an uncertain step",
        *("run_id", "step"),
        run_id=_TEXT,
        step=_TEXT,
        reply={"anyOf": [{"type": "object"}, _TEXT]},
        choice={"enum": ["retry", "skip", "fail"]},
    ),
    define(
        "app_rerun",
        "Re-run from node",
        "Start a new run at a node of an earlier run",
        *("run_id", "node"),
        run_id=_TEXT,
        node=_TEXT,
    ),
    define(
        "app_cancel",
        "Cancel run",
        "Cancel a run",
        "run_id",
        hints=CHANGES,
        run_id=_TEXT,
    ),
)
DEFINITIONS: tuple[ToolDefinition, ...] = tuple(map(_for_app, _DEFINITIONS))
