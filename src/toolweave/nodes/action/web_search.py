"""ACTION.WEB_SEARCH: search the web with a tool of a connected server."""

import time
from collections.abc import Sequence

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.mcp._answers import value_of
from toolweave.problems import did_you_mean
from toolweave.tools.tool import Tool, ToolCall

_QUERIES = ("query", "q", "search_query", "text", "keywords")
_COUNTS = ("max_results", "limit", "count", "num_results", "numResults")
_LISTS = ("results", "items", "organic", "web", "data")
_URLS, _TITLES = ("url", "link", "href"), ("title", "name")
_TEXTS = ("snippet", "description", "content", "text", "summary")


class WebSearch:
    """Asks the search tool of a registered server, and gives its hits in one form."""

    spec = NodeSpec(
        type="ACTION",
        subtype="WEB_SEARCH",
        summary="Search the web through the search tool of a connected MCP server.",
        # It asks and changes nothing; a search may be repeated.
        effect="keyed",
        configurations=(
            Field(
                "server",
                "string",
                "Name of a registered server that has a search tool: brave.",
                required=True,
            ),
            Field(
                "tool", "string", "Its search tool; empty takes the one with search in its name."
            ),
            Field("max_results", "integer", "Most hits.", 10, minimum=1, maximum=100),
            Field("arguments", "object", "Further arguments of the tool, as it calls them."),
        ),
        inputs=(Field("query", "string", "What is looked for.", required=True),),
        outputs=(
            Field("results", "array", "Hits: title, url, snippet.", items="object"),
            Field("total_results", "integer", "How many."),
            Field("raw", "any", "What the tool gave."),
            Field("search_time", "float", "Seconds it took.", minimum=0),
        ),
        tags=("action", "search", "web", "mcp"),
        keywords=(
            *("web search", "search the web", "internet search", "brave", "tavily", "news"),
            *("look up online", "search engine", "find pages", "serp"),
        ),
        guidance="Connect a search server first: `toolweave servers add`, then approve it.",
        examples=(
            Example(
                "Find news",
                "Five hits of a search server.",
                {"server": "brave", "max_results": 5},
                {"query": "smart lamps 2026"},
            ),
            Example(
                "A tool by name",
                "With an argument of its own.",
                {"server": "tavily", "tool": "tavily-search", "arguments": {"topic": "news"}},
                {"query": "energy prices"},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """The hits. Raises `MCP_SERVER_NOT_FOUND`, `MCP_TOOL_NOT_FOUND`, `TOOL_FAILED`."""
        given, began = context.given, time.perf_counter()
        server = given.text("server")
        shelf = context.resources.approved_tools
        tool = _tool(given, server, await shelf.tools(server))
        call = ToolCall(
            server,
            tool.name,
            _arguments(given, tool),
            source="workflow",
            scope=f"run:{context.run.id}",
            location=context.key,
            effect="keyed",
        )
        result = await context.tools.call(call, on_progress=context.progress)
        raw = await value_of(context, result, call)
        hits = _hits(raw)[: given.whole("max_results")]
        return Outcome(
            {
                "results": list[Json](hits),
                "total_results": len(hits),
                "raw": raw,
                "search_time": time.perf_counter() - began,
            }
        )


def _tool(given: NodeInput, server: str, tools: Sequence[Tool]) -> Tool:
    name = given.text("tool")
    found = [tool for tool in tools if (tool.name == name if name else "search" in tool.name)]
    if found:
        return found[0]
    names = [tool.name for tool in tools]
    wanted = f"no tool {name!r}" if name else "no tool with 'search' in its name"
    raise NotFound(
        "MCP_TOOL_NOT_FOUND",
        f"server {server!r} has {wanted}",
        hint=(did_you_mean(name, names) if name else None)
        or f"its tools are: {', '.join(names) or 'none'}",
    )


def _arguments(given: NodeInput, tool: Tool) -> JsonObject:
    takes = tool.input_schema.get("properties")
    known = takes if isinstance(takes, dict) else {}
    asked = next((name for name in _QUERIES if name in known), None)
    if asked is None:
        raise Invalid(
            "NODE_INPUT_INVALID",
            f"tool {tool.name!r} takes none of {', '.join(_QUERIES)}",
            hint="name another tool of the server",
            facts={"field": "tool"},
        )
    count = next((name for name in _COUNTS if name in known), None)
    sized: JsonObject = {count: given.whole("max_results")} if count else {}
    return {asked: given.text("query"), **sized, **given.record("arguments")}


def _hits(value: Json) -> list[JsonObject]:
    """Hits wherever the tool has them: a list, or one below a usual name."""
    if isinstance(value, list):
        return [_hit(one) for one in value if isinstance(one, dict)]
    if not isinstance(value, dict):
        return []
    for name in ("json", *_LISTS):
        if isinstance(value.get(name), list | dict) and (found := _hits(value[name])):
            return found
    text = value.get("text")
    return [{"title": "", "url": "", "snippet": text}] if isinstance(text, str) and text else []


def _hit(one: JsonObject) -> JsonObject:
    return {
        "title": _first(one, _TITLES),
        "url": _first(one, _URLS),
        "snippet": _first(one, _TEXTS),
    }


def _first(one: JsonObject, names: Sequence[str]) -> str:
    return next((str(one[name]) for name in names if one.get(name)), "")


node = WebSearch()
