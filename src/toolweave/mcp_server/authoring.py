"""`validate_workflow`, `run_workflow`, `publish_workflow`, `explain_problem`."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from toolweave import json_text
from toolweave.access.authorization import tool_rule
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.builder_tools import explain, read_document
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.published_calls import PublishedCalls
from toolweave.mcp_server.stored_workflows import fit_problems
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.publishing.limited_keys import published_of
from toolweave.publishing.service import PublicationRequest, PublishedTool, other_names, publish
from toolweave.publishing.store import Publication, PublicationRecord
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.format import LoadedWorkflow

Handler = Callable[[ToolRequest], Coroutine[Any, Any, Answer]]


class AuthoringTools:
    """Works on the stored workflows of the home."""

    def __init__(self, context: McpContext) -> None:
        self._context = context
        self._calls = PublishedCalls(context)
        self._handlers: dict[str, Handler] = {
            "validate_workflow": self._validate,
            "run_workflow": self._run,
            "publish_workflow": self._publish,
            "explain_problem": self._explain,
        }

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the authoring tools."""
        return await self._handlers[asked.name](asked)

    async def _validate(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        loaded = await read_document(asked.arguments["workflow"])
        report = (await studio.authoring.examine(loaded)).report
        frame: JsonObject = {"valid": report.is_valid, "format": loaded.format}
        return structured_result(fit_problems(frame, report.problems, asked))

    async def _run(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        inputs = asked.arguments.get("inputs", {})
        assert isinstance(inputs, dict)
        loaded = await self._chosen(studio, asked)
        return await self._calls.call(replace(asked, arguments=inputs), _as_tool(loaded))

    async def _chosen(self, studio: RunningStudio, asked: ToolRequest) -> LoadedWorkflow:
        """The workflow to run: a stored one, or with write access the one given."""
        name, given = asked.text("name"), asked.arguments.get("workflow")
        if bool(name) == (given is not None):
            raise Invalid("REQUEST_INVALID", "give either 'name' or 'workflow'")
        key = asked.caller.key
        if key is not None and key.tools is not None:
            one = await published_of(self._context.published, key, name)
            # Such a key may run the published version, not the current file.
            return await read_document(json_text.read(one.publication.document))
        if name:
            return (await studio.home.workflows.load(name)).loaded
        asked.caller.require(tool_rule("run_workflow#workflow"))
        return require_workflow(await read_document(given))

    async def _publish(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        wish = PublicationRequest(
            asked.text("name"), asked.text("tool") or None, asked.text("description") or None
        )
        home = studio.home
        made = await publish(home, await studio.authoring.tools.known(), wish)
        self._context.published.nudge()
        also: JsonObject = {"alsoPublishedAs": list[Json](await other_names(home, made))}
        return structured_result(PublicationRecord.of(made).as_json() | also)

    async def _explain(self, asked: ToolRequest) -> Answer:
        return structured_result(explain(asked.text("code").strip()))


def _as_tool(loaded: LoadedWorkflow) -> PublishedTool:
    """A workflow as a tool for this one call."""
    one = Publication(
        tool="run_workflow",
        slug="",
        workflow=loaded.workflow.name,
        description="",
        revision="",
        document="",
        input_schema={"type": "object"},
        output_schema=None,
        if_left="cancel",
        tasks="auto",
        published_at="",
    )
    return PublishedTool(one, "", loaded, read_tool("toolweave", one.definition))
