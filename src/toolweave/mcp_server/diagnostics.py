"""`test_node` and `explain_run`: one node with sample data, and why a run failed."""

from toolweave.access.authorization import tool_rule
from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.environment import node_in
from toolweave.authoring.node_test import NodeTest, NodeTests
from toolweave.authoring.run_explanation import brief, explain_run
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.run_tools import find_run
from toolweave.mcp_server.stored_workflows import read_document
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Node


class DiagnosticTools:
    """Shows authors what their nodes and runs do."""

    def __init__(self, context: McpContext) -> None:
        self._context = context

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the two tools."""
        found = await (self._test(asked) if asked.name == "test_node" else self._explain(asked))
        masked = (await self._context.studio()).home.masker.mask_json(found)
        assert isinstance(masked, dict)
        return structured_result(masked)

    async def _test(self, asked: ToolRequest) -> JsonObject:
        studio = await self._context.studio()
        given, name = asked.arguments["node"], asked.text("name")
        with_effects = asked.arguments.get("effects") is True
        if with_effects:
            asked.caller.require(tool_rule("run_workflow"))
            asked.caller.require(tool_rule("run_workflow#workflow"))
        if isinstance(given, dict):
            loaded = require_workflow(await read_document({"name": "test", "nodes": [given]}))
            node: Node = loaded.workflow.nodes[0]
        elif name:
            loaded = (await studio.home.workflows.load(name)).loaded
            node = node_in(loaded.workflow, str(given))
        else:
            hint = 'give "name", the workflow that has the node, or the node itself'
            raise Invalid("REQUEST_INVALID", "'node' is an id without a workflow", hint=hint)
        sample = asked.arguments.get("sample", {})
        assert isinstance(sample, dict)
        tests = NodeTests(studio.engine, studio.authoring, studio.home.clock)
        found = await tests.test(
            loaded.workflow, node, sample, dialect=loaded.format, with_effects=with_effects
        )
        return _shown(found)

    async def _explain(self, asked: ToolRequest) -> JsonObject:
        studio = await self._context.studio()
        run = await find_run(self._context, studio.engine, asked)
        dialect: FormatName = "toolweave"
        revision: str | None = None
        try:
            stored = await studio.home.workflows.load(run.workflow)
            dialect, revision = stored.loaded.format, stored.revision
        except NotFound:
            pass  # it was given with the call, or is gone
        shown = await explain_run(studio.engine, run, dialect)
        return {**shown, "revision": revision} if revision and "patch" in shown else shown


def _shown(found: NodeTest) -> JsonObject:
    shown: JsonObject = {"effect": found.effect, "executed": bool(found.value or found.run)}
    if found.problems:
        shown["problems"] = [problem.as_json() for problem in found.problems]
    if found.given is not None:
        shown["given"] = brief(found.given)
    if found.value:
        (value,) = found.value
        shown |= {"output": brief(value), "ports": list[Json](found.ports)}
    if found.run:
        shown |= {"run_id": found.run, "status": found.status}
    if found.error:
        shown["error"] = found.error
    if found.given is not None and not shown["executed"]:
        shown["next"] = "this node has an effect; effects: true runs it"
    return shown
