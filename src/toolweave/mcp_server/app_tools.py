"""The tools of the app: the form of a published workflow, its runs, their questions.

A key that is limited to some tools reaches only their runs, as everywhere else.
"""

from typing import cast

from toolweave.app.published_copy import require_copy
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Choice
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_view import view_of
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.run_tools import find_run
from toolweave.mcp_server.tool_call import Answer, McpCaller, ToolRequest
from toolweave.people.inbox import check_step
from toolweave.publishing.limited_keys import VisibleRuns
from toolweave.publishing.service import PublishedTool
from toolweave.publishing.store import not_published
from toolweave.tools.check import check_arguments

TRIGGER = "mcp"
# How many of the newest runs are compared to find the run of a call.
LOOKED_AT = 10


class AppTools:
    """Answers the app of a published workflow."""

    def __init__(self, context: McpContext) -> None:
        self._context = context

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the tools."""
        if asked.name == "app_workflow":
            return _described(await self._tool(asked))
        studio, why = await self._context.studio(), None
        engine = studio.engine
        match asked.name:
            case "app_start":
                run = await self._start(engine, asked)
            case "app_run" if "run_id" not in asked.arguments:
                run = await self._run_of_call(engine, asked)
            case "app_rerun":
                found = await find_run(self._context, engine, asked, is_whole=True)
                await require_copy(studio, asked.caller.key, found)
                run = await engine.runs.fork(found.id, asked.text("node"))
            case _:
                found = await find_run(self._context, engine, asked, is_whole=True)
                run, why = found.id, await _act(engine, found.id, asked)
        return await _shown(engine, run, asked.caller, why)

    async def _tool(self, asked: ToolRequest) -> PublishedTool:
        name, key = asked.text("tool"), asked.caller.key
        one = await self._context.published.get(name)
        if one is None or not (key is None or key.allows_tool(name)):
            tools = [each.publication for each in await self._context.published.tools()]
            raise not_published(name, [t for t in tools if key is None or key.allows_tool(t.tool)])
        return one

    async def _start(self, engine: Engine, asked: ToolRequest) -> str:
        one, arguments = await self._tool(asked), _object(asked.arguments.get("arguments"))
        problems = [
            problem
            for problem in check_arguments(one.tool, arguments)
            if problem.severity == "error"
        ]
        if problems:
            message = f"invalid arguments for {one.tool.name!r}"
            raise Invalid("REQUEST_INVALID", message, problems=problems)
        request = RunRequest(one.workflow, arguments, trigger=TRIGGER, source=one.loaded)
        return await engine.runs.start(request)

    async def _run_of_call(self, engine: Engine, asked: ToolRequest) -> str | None:
        """The open run that a call with these arguments started."""
        one, arguments = await self._tool(asked), _object(asked.arguments.get("arguments"))
        name, key = one.publication.workflow, asked.caller.key
        if key is None:
            found = await engine.newest(workflow=name, limit=LOOKED_AT)
        else:
            found = await VisibleRuns(engine, self._context.published).newest(
                key, workflow=name, limit=LOOKED_AT, search=RunSearch()
            )
        for run in found:
            is_open = run.trigger == TRIGGER and run.status not in FINAL
            if is_open and (await engine.state(run.id)).inputs == arguments:
                return run.id
        return None


async def _act(engine: Engine, run: str, asked: ToolRequest) -> str | None:
    """Answer or cancel a run; return why an answer does not count, if it does not."""
    match asked.name:
        case "app_answer":
            return await _answer(engine, run, asked)
        case "app_cancel":
            await engine.cancel(run, by=asked.caller.who)
        case _:
            pass
    return None


async def _answer(engine: Engine, run: str, asked: ToolRequest) -> str | None:
    step, choice = asked.text("step"), asked.arguments.get("choice")
    if (choice is None) == ("reply" not in asked.arguments):
        message = "give 'reply' for a waiting step, or 'choice' for an uncertain one"
        raise Invalid("REQUEST_INVALID", message)
    if choice is not None:
        await engine.resolve(run, step, cast("Choice", choice), by=asked.caller.who)
        return None
    reply = asked.arguments["reply"]
    await check_step(engine, run, step, reply)
    return await engine.answer(run, step, reply, by=asked.caller.person, via="mcp")


async def _shown(engine: Engine, run: str | None, caller: McpCaller, why: str | None) -> JsonObject:
    if run is None:
        return _result("No run of this call is open.", {"run_id": None})
    view = await view_of(engine, run)
    uncounted: JsonObject = {"why": why} if why else {}
    return _result(view.summary(), {**view.as_json(caller.person), **uncounted})


def _described(one: PublishedTool) -> JsonObject:
    made = one.publication
    form: JsonObject = {
        "tool": made.tool,
        "title": made.workflow,
        "description": made.description,
        "input_schema": made.input_schema,
        "annotations": made.annotations,
    }
    return _result(f"{made.workflow}: {made.description}", form)


def _result(text: str, content: JsonObject) -> JsonObject:
    """The text is short: the page reads the structured content, which may be large."""
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": content,
        "isError": False,
    }


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
