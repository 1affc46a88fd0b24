"""The authoring tools, `validate_workflow` to `publish_workflow`; answers fit a token budget."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import anyio.to_thread

from toolweave import json_text
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.catalog.budget import fit_list
from toolweave.codes.table import CODES
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.published_calls import PublishedCalls
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.problems import Problem, did_you_mean
from toolweave.publishing.service import PublicationRequest, PublishedTool, publish
from toolweave.publishing.store import Publication
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.store import Revision, Stored

ANSWER_TOKENS = 2_000

Handler = Callable[[ToolRequest], Coroutine[Any, Any, Answer]]


class AuthoringTools:
    """Works on the stored workflows of the home."""

    def __init__(self, context: McpContext) -> None:
        self._context = context
        self._calls = PublishedCalls(context)
        self._handlers: dict[str, Handler] = {
            "validate_workflow": self._validate,
            "save_workflow": self._save,
            "patch_workflow": self._patch,
            "run_workflow": self._run,
            "publish_workflow": self._publish,
            "explain_problem": self._explain,
        }

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the authoring tools."""
        return await self._handlers[asked.name](asked)

    async def _validate(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        loaded = await _read(asked.arguments["workflow"])
        report = (await studio.authoring.examine(loaded)).report
        frame: JsonObject = {"valid": report.is_valid, "format": loaded.format}
        return structured_result(_fitted(frame, report.problems, asked))

    async def _save(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        loaded = require_workflow(await _read(asked.arguments["workflow"]))
        revision = asked.arguments.get("revision")
        over = Revision(revision) if isinstance(revision, str) else None
        await studio.home.workflows.save(loaded.workflow, over=over)
        return await self._saved(studio, loaded.workflow.name, asked)

    async def _patch(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        stored = await studio.home.workflows.load(asked.text("name"))
        operations = asked.arguments["patch"]
        assert isinstance(operations, list)
        document = apply_patch(
            convert(stored.workflow, "toolweave"),
            [operation for operation in operations if isinstance(operation, dict)],
        )
        loaded = require_workflow(await _read(document))
        await studio.home.workflows.save(
            loaded.workflow, over=Revision(asked.text("revision")), at=stored.name
        )
        return await self._saved(studio, loaded.workflow.name, asked)

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
            one = await self._context.published.of_workflow(name)
            key.require_tool(one.publication.tool if one else None)
            assert one is not None
            # Such a key may run the published version, not the current file.
            return await _read(json_text.read(one.publication.document))
        if name:
            return (await studio.home.workflows.load(name)).loaded
        asked.caller.require("workflows:write")
        return require_workflow(await _read(given))

    async def _publish(self, asked: ToolRequest) -> Answer:
        studio = await self._context.studio()
        wish = PublicationRequest(
            asked.text("name"), asked.text("tool") or None, asked.text("description") or None
        )
        home = studio.home
        made = await publish(home, await studio.authoring.tools.known(), wish)
        self._context.published.nudge()
        shown: JsonObject = {"tool": made.tool, "workflow": made.workflow}
        return structured_result(
            {**shown, "revision": made.revision, "inputSchema": made.input_schema}
        )

    async def _explain(self, asked: ToolRequest) -> Answer:
        code = asked.text("code").strip()
        if code not in CODES:
            hint = did_you_mean(code, CODES) or "give the code of a problem, such as EDGE_CYCLE"
            raise NotFound("CODE_UNKNOWN", f"unknown code {code[:100]!r}", hint=hint)
        what = "apply the problem's patch with patch_workflow, or change the value at its pointer"
        return structured_result({"code": code, "meaning": CODES[code], "next": what})

    async def _saved(self, studio: RunningStudio, name: str, asked: ToolRequest) -> Answer:
        """The saved workflow and its problems, with pointers into the saved document."""
        stored: Stored = await studio.home.workflows.load(name)
        report = (await studio.authoring.examine(stored.loaded)).report
        frame: JsonObject = {
            "name": stored.name,
            "revision": stored.revision,
            "valid": report.is_valid,
        }
        return structured_result(_fitted(frame, report.problems, asked))


async def _read(document: Json) -> LoadedWorkflow:
    return await anyio.to_thread.run_sync(read, document)


def _fitted(frame: JsonObject, problems: Sequence[Problem], asked: ToolRequest) -> JsonObject:
    """Add the problems, errors first, within the budget."""
    budget = asked.arguments.get("max_tokens")
    ordered = sorted(problems, key=lambda problem: problem.severity != "error")
    return fit_list(
        [problem.as_json() for problem in ordered],
        budget if isinstance(budget, int) else ANSWER_TOKENS,
        key="problems",
        again="fix these, then validate again",
        details=("patch", "hint"),
        frame=frame,
    )


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
