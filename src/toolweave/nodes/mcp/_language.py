"""The language modes of `mcp`: a model fills a tool's parameters, or works a task with a server.

What a model asks for passes the same check and the same gate as what a person asks for. Each
question and each call is a part of its own in the journal, so what was chosen is on record.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import cast

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.resources.model import Message, ModelQuestion, ModelTool, Said
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import (
    AgentLimits,
    AgentTool,
    Opening,
    Task,
    ToolOutcome,
    Worked,
    work,
)
from toolweave.nodes.agent_parts import ToolPart, past
from toolweave.nodes.mcp._answers import said_beside, value_of
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.nodes.model_tools import skills_of, told
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.tools.check import check_arguments
from toolweave.tools.tool import Tool, ToolCall
from toolweave.workflow.modes import PARAM_CONFIG, TASK_CONFIG, text_at

# How often a refusal is told to the model before it is the node's.
CORRECTIONS = 3
STEPS, CALLS, TOKENS = 12, 20, 200_000
MAX_DATA_CHARS = 40_000


_HOLE = pattern(r"\{\{(\w+)\}\}")


def filled(name: str, **values: str) -> str:
    """A prompt with its holes filled; what is put in is never looked at again."""
    return _HOLE.sub(lambda hole: values[hole[1]], _read(name)).strip()


@cache
def _read(name: str) -> str:
    return files("toolweave.nodes.mcp").joinpath("prompts", f"{name}.md").read_text("utf-8")


async def fill_parameters(context: NodeContext) -> Outcome | Wait:
    """`naturalLanguageParam`: what the tool answered to a call whose arguments a model filled in.

    Raises `Invalid`: `MODEL_ARGUMENTS_INVALID` when they never fitted the tool.
    """
    given = context.given
    config = given.record(PARAM_CONFIG)
    server, name = given.text("serverId"), given.text("toolName")
    tool = _named(await _tools(context, server), name, server)
    calls = [part for part in past(context) if isinstance(part, ToolPart)]
    if calls and (ended := _ended(calls[-1])) is not None:
        return ended
    if len(calls) > CORRECTIONS:
        raise Invalid(
            "MODEL_ARGUMENTS_INVALID",
            f"the model's arguments for {name!r} were refused {len(calls)} times; "
            f"the last time: {calls[-1].text[:500]}",
            hint="describe the parameters more exactly, or switch the node to the detailed mode",
        )
    task = Task(
        _question(config, filled("fill_parameters", tool=name), choice="any"),
        (_checked(tool),),
        limits=AgentLimits(steps=1 + 2 * CORRECTIONS, calls=1 + CORRECTIONS, tokens=TOKENS),
        check=lambda _: f"Do not answer with text: call the tool `{name}`.",
        corrections=CORRECTIONS,
    )
    done = await work(context, task, _opening(context, config.get("description")))
    assert isinstance(done, Wait)  # a text is never right, and a call ends above
    return done


async def work_task(context: NodeContext) -> Outcome | Wait:
    """`fullNaturalLanguage`: what a model made of the task, and every call it made for it."""
    config = context.given.record(TASK_CONFIG)
    server = context.given.text("serverId")
    tools = [tool for tool in await _tools(context, server) if tool.is_usable]
    skills = [*await context.resources.approved_tools.skill_tools(server)]
    if listed := _listed(config):  # the author's choice; without one, all tools
        tools = [tool for tool in tools if tool.name in listed]
    if not tools:
        raise NotFound("MCP_TOOL_LIST_EMPTY", f"server {server!r} has no tools to choose from")
    limits = AgentLimits(
        steps=_limit(config, "maxSteps", STEPS),
        calls=_limit(config, "maxCalls", CALLS),
        tokens=_limit(config, "maxTokens", TOKENS),
    )
    question = _question(config, filled("work_task", server=server))
    task = Task(question, skills_of([*tools, *skills]), limits=limits)
    done = await work(context, task, _opening(context, config.get("taskDescription")))
    return done if isinstance(done, Wait) else Outcome(_summary(done))


def _listed(config: JsonObject) -> set[str]:
    entries = config.get("availableTools")
    return {
        text_at(entry, "name") or text_at(entry, "toolName")
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    }


def _question(config: JsonObject, system: str, choice: str = "auto") -> ModelQuestion:
    named = config.get("model")
    return ModelQuestion(
        messages=(),
        system=system,
        provider=named if isinstance(named, str) and named else None,
        choice="any" if choice == "any" else "auto",
    )


def _opening(context: NodeContext, words: Json) -> Opening:
    async def opening() -> tuple[Message, ...]:
        data = context.given.incoming
        if data is None or data == {}:
            return (Said(text=str(words)),)
        shown = json_text.write(data)
        if len(shown) > MAX_DATA_CHARS:
            shown = shown[:MAX_DATA_CHARS] + " … (more was left out)"
        # So that nothing in the data can look like its end.
        shown = shown.replace("</", "<\\/")
        return (Said(text=filled("request", words=str(words), data=shown)),)

    return opening


async def _tools(context: NodeContext, server: str) -> Sequence[Tool]:
    return await context.resources.approved_tools.tools(server)


def _named(tools: Sequence[Tool], name: str, server: str) -> Tool:
    for tool in tools:
        if tool.name == name:
            return tool
    raise NotFound(
        "MCP_TOOL_NOT_FOUND",
        f"server {server!r} has no tool {name!r}",
        hint=did_you_mean(name, [tool.name for tool in tools]),
    )


def _checked(tool: Tool) -> AgentTool:
    """The one tool; the model corrects refused arguments, any other error ends the node."""

    async def do(context: NodeContext, arguments: JsonObject) -> ToolOutcome | Wait:
        problems = [one for one in check_arguments(tool, arguments) if one.severity == "error"]
        if problems:
            lines = [f"{one.pointer or '/'}: {one.message}" for one in problems[:20]]
            return ToolOutcome("the arguments do not fit:\n" + "\n".join(lines), is_error=True)
        call = ToolCall(
            tool.server,
            tool.name,
            arguments,
            source="workflow",
            scope=f"run:{context.run.id}",
            location=context.key,
        )
        try:
            result = await call_tool(context, call, polls=False)
            if isinstance(result, Wait):
                return result
            kept: JsonObject = {"value": await value_of(context, result, call)}
            if said := await said_beside(context, result):
                kept["content"] = said
            return ToolOutcome(told(result).text, value=kept)
        except ToolweaveError as error:
            return ToolOutcome(f"{error.code}: {error.message}", is_error=True, value=_error(error))

    offer = ModelTool(name=tool.name, description=tool.description, parameters=tool.input_schema)
    return AgentTool(offer, do)


def _error(error: ToolweaveError) -> JsonObject:
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}


def _ended(call: ToolPart) -> Outcome | None:
    """What came of a call that was made; nothing where its arguments were refused before."""
    kept = cast("Json", call.value)
    if not isinstance(kept, dict):
        return None
    error = kept.get("error")
    if isinstance(error, dict):
        hint = error.get("hint")
        # Of no kind that is tried again: the call may have happened.
        raise ToolweaveError(
            str(error.get("code")),
            str(error.get("message")),
            hint=hint if isinstance(hint, str) else None,
        )
    said = kept.get("content")
    return Outcome(kept.get("value"), content=said if isinstance(said, list) else None)


def _limit(config: JsonObject, name: str, default: int) -> int:
    value = config.get(name)
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default
    )


def _summary(done: Worked) -> JsonObject:
    calls: list[Json] = [
        {
            "tool": call.name,
            "arguments": cast("JsonObject", call.arguments),
            "isError": call.is_error,
            "text": call.text,
        }
        for call in done.calls
    ]
    usage = cast("JsonObject", done.usage.model_dump(mode="json"))
    text = done.reply.message.text
    return {"text": text, "calls": calls, "model": done.reply.model, "usage": usage}
