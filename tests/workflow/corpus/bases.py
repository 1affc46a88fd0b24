"""Workflows without a fault, of every dialect and kind of node, and what is known around them."""

from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Any, Literal, cast

from tests.tools.builders import corpus
from tests.workflow.sample_files import FOLDER

from toolweave import json_text
from toolweave.catalog.index import Catalog
from toolweave.catalog.live import specs_of
from toolweave.demo.server import TOOLS
from toolweave.nodes import discover
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.modes import tool_fields, write_snapshot

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
STAMP = "2026-03-01T08:00:00.000Z"

World = Literal["alone", "pinned", "live"]
# Any: documents are JSON that faults are put into by hand.
Document = dict[str, Any]


@dataclass(frozen=True)
class Base:
    """A right workflow, as its file says it, and what it is checked against."""

    name: str
    document: Document
    world: World = "alone"


@cache
def servers() -> dict[str, list[Tool]]:
    """The demo server and the real servers of the corpus."""
    demo = [tool.definition.model_dump(mode="json", by_alias=True) for tool in TOOLS]
    found = {"demo": [read_tool("demo", entry) for entry in demo]}
    for one in corpus():
        found.setdefault(one.server, []).append(read_tool(one.server, one.entry))
    return found


@cache
def world(name: World) -> KnownEnvironment:
    """Only our own nodes; those and approved tools; those and tools of servers that answer."""
    catalog = Catalog(node.spec for node in discover())
    if name == "alone":
        return KnownEnvironment(catalog, NOW)
    tools = servers()
    whole = catalog.with_specs(specs_of(tool for of_server in tools.values() for tool in of_server))
    live = tools.get if name == "live" else None
    return KnownEnvironment(whole, NOW, tools=live, pinned=tools.get)


def tool(server: str, name: str) -> Tool:
    """A tool of one of the servers."""
    return next(one for one in servers()[server] if one.name == name)


def an_object(value: Any) -> Document:
    """The value if it is an object, else an empty one."""
    return cast("Document", value) if isinstance(value, dict) else {}


def a_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def node(node_id: str, kind: str, name: str | None = None, /, **data: Any) -> Document:
    """A node as a file says it; `FLOW.IF` is a catalog node."""
    kind, dot, subtype = kind.partition(".")
    body = {"subtype": subtype, **data} if dot else data
    place = {"x": 0, "y": 0}
    return {"id": node_id, "type": kind, "name": name or node_id, "position": place, "data": body}


def mcp(node_id: str, server: str, name: str, values: Document, **more: Any) -> Document:
    """An MCP node that remembers its tool's parameters."""
    known = tool_fields(tool(server, name))
    data = {**known, "parameterValues": values, "mode": "detailed", "validationStatus": "valid"}
    return node(node_id, "mcp", **data, outputPorts=1, **more)


def edge(source: str, target: str, port: str = "output", into: str = "input") -> Document:
    """An edge as a file says it."""
    ends = {"id": f"{source}-{port}-{target}", "from": source, "to": target}
    return {**ends, "fromPort": port, "toPort": into}


def whole(name: str, nodes: list[Document], edges: list[Document], **more: Any) -> Document:
    """A canonical workflow."""
    head = {"id": name, "name": name, "version": "1.0.0", "schemaVersion": "1.3.0"}
    times = {"createdAt": STAMP, "updatedAt": STAMP}
    return {**head, "nodes": nodes, "connections": edges, **times, **more}


def line(name: str, nodes: list[Document], **more: Any) -> Document:
    """A canonical workflow of nodes one after the other."""
    edges = [edge(one["id"], other["id"]) for one, other in pairwise(nodes)]
    return whole(name, nodes, edges, **more)


def _numbers() -> Document:
    """Values of one tool into the next, with types that have to fit."""
    inputs = {
        "type": "object",
        "properties": {"essay": {"type": "string"}, "author": {"type": "string"}},
        "required": ["essay"],
    }
    return line(
        "numbers",
        [
            node("start", "start"),
            mcp("counted", "demo", "word_count", {"text": "{{ trigger.essay }}", "top": 5}),
            mcp("total", "demo", "add", {"a": "{{ counted.words }}", "b": 2.5}),
            mcp(
                "greeting",
                "demo",
                "greet",
                {"name": "{{ string(total.sum) }}", "language": "de"},
            ),
            mcp("kept", "demo", "remember", {"key": "last", "value": "{{ greeting.text }}"}),
            node("end", "end"),
        ],
        inputSchema=inputs,
    )


def _order() -> Document:
    """A tool with nested objects, arrays, enums, patterns and a union."""
    values = {
        "customer": {
            "name": "Ada",
            "email": "ada@example.com",
            "address": {"street": "Main 1", "city": "Bern", "country": "CH"},
        },
        "items": [
            {"sku": "AB-1234", "quantity": 2, "unit_price": 9.5, "options": {"colour": "red"}},
            {"sku": "CD-5678", "unit_price": 1},
        ],
        "payment": {"method": "invoice", "reference": "R1", "due_in_days": 14},
        "priority": "high",
        "currency": "EUR",
        "labels": {"team": "blue", "rush": True},
    }
    return line(
        "order",
        [
            node("start", "start"),
            mcp("placed", "demo", "make_order", values),
            mcp("drawn", "demo", "draw", {"width": 32, "color": "#ff0000", "shape": "ellipse"}),
            node("end", "end"),
        ],
    )


def _live_entries() -> Document:
    """Tools of servers as catalog nodes."""
    return whole(
        "live-entries",
        [
            node("begin", "TRIGGER.MANUAL", configurations={"trigger_name": "Add up"}),
            node("plus", "TOOL.MCP:demo/add", inputParams={"a": 1, "b": 2}),
            node(
                "big",
                "FLOW.IF",
                configurations={"condition_expression": "data.sum > 100.0"},
                inputParams={"data": "{{ plus }}"},
            ),
            node(
                "hello",
                "TOOL.MCP:demo/greet",
                inputParams={"name": "Ada", "language": "fr"},
            ),
            node("pause", "FLOW.DELAY", configurations={"duration_seconds": 2.5}),
        ],
        [
            edge("begin", "plus"),
            edge("plus", "big"),
            edge("big", "hello", "true"),
            edge("big", "pause", "false"),
        ],
    )


def _loop() -> Document:
    return whole(
        "pages",
        [
            node("hook", "TRIGGER.WEBHOOK", configurations={"webhook_path": "/pages"}),
            node(
                "each",
                "FLOW.LOOP",
                configurations={
                    "loop_type": "for_range",
                    "start_value": 1,
                    "end_value": 5,
                    "iteration_variable": "page",
                },
                inputParams={"data": "{{ hook.body }}"},
            ),
            node(
                "fetch",
                "ACTION.HTTP_REQUEST",
                configurations={
                    "method": "GET",
                    "url": "https://api.example.com/items",
                    "query_params": {"page": "{{ loop.index }}"},
                    "timeout": 30,
                },
            ),
            node(
                "open",
                "FLOW.FILTER",
                configurations={
                    "filter_mode": "include",
                    "filter_type": "simple_condition",
                    "conditions": [{"field": "status", "operator": "equals", "value": "open"}],
                },
                inputParams={"data": "{{ fetch.json }}"},
            ),
            node(
                "ordered",
                "FLOW.SORT",
                configurations={"sort_field": "id", "order": "desc"},
                inputParams={"data": "{{ each.iteration_results }}"},
            ),
        ],
        [
            edge("hook", "each"),
            edge("each", "fetch", "loop"),
            edge("fetch", "open"),
            edge("open", "each", "output", "next"),
            edge("each", "ordered", "done"),
        ],
    )


def _agent() -> Document:
    """An agent with tools and memory, a person's answer, and what follows it."""
    return whole(
        "triage",
        [
            node("cron", "TRIGGER.CRON", configurations={"cron_expression": "0 9 * * 1-5"}),
            node(
                "writer",
                "AI_AGENT.OPENAI_CHATGPT",
                configurations={
                    "model": "gpt-5",
                    "system_prompt": "Be brief.",
                    "temperature": 0.2,
                    "max_tokens": 500,
                },
                inputParams={"user_prompt": "Sum up {{ cron.trigger_time }}"},
                attachedNodes=["memory", "pages"],
            ),
            node("memory", "MEMORY.CONVERSATION_BUFFER", configurations={"max_messages": 20}),
            node("pages", "TOOL.NOTION_MCP_TOOL", configurations={"operation_type": "page"}),
            node(
                "review",
                "HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
                configurations={
                    "review_type": "quality_assurance",
                    "review_title": "Digest",
                    "review_description": "Is it right?",
                    "reviewers": ["ada@example.com"],
                    "review_criteria": ["True"],
                    "scoring_system": "pass_fail",
                },
                inputParams={"content": "{{ writer.content }}"},
            ),
            node(
                "post",
                "EXTERNAL_ACTION.SLACK",
                configurations={
                    "action_type": "send_message",
                    "channel": "#news",
                    "bot_token": "${vault:slack}",
                },
                inputParams={"message": "{{ nodes.writer.output.content }}"},
            ),
            node("later", "FLOW.DELAY", configurations={"duration_seconds": 60}),
        ],
        [
            edge("cron", "writer"),
            edge("writer", "review"),
            edge("review", "post", "confirmed"),
            edge("review", "later", "rejected"),
        ],
    )


def _reshape() -> Document:
    """Typed data through catalog nodes, two branches and their merge."""
    return whole(
        "reshape",
        [
            node("begin", "TRIGGER.WEBHOOK", configurations={"webhook_path": "/in"}),
            node(
                "left",
                "ACTION.DATA_TRANSFORMATION",
                configurations={"operation": "custom", "transformation_script": "data.size()"},
                inputParams={"data": [1, 2, 3]},
            ),
            node(
                "right",
                "ACTION.HTTP_REQUEST",
                configurations={
                    "method": "POST",
                    "url": "https://api.example.com/{{ begin.path }}",
                },
                inputParams={"body": {"count": 1, "who": "{{ begin.client_ip }}"}},
            ),
            node("both", "FLOW.MERGE", configurations={"merge_strategy": "union"}),
            node(
                "good",
                "FLOW.IF",
                configurations={"condition_expression": "right.status_code == 200"},
            ),
            node("rest", "FLOW.DELAY", configurations={"duration_seconds": 1}),
        ],
        [
            edge("begin", "left"),
            edge("begin", "right"),
            edge("left", "both"),
            edge("right", "both"),
            edge("both", "good"),
            edge("good", "rest", "true"),
        ],
    )


def _drawn() -> Document:
    """What the visual editor writes, with groups, a question and branches."""
    branches = [
        {"id": "b0", "label": "Long", "condition": "size(data) > 100"},
        {"id": "b1", "label": "Short", "condition": "size(data) <= 100"},
    ]
    options = [
        {"label": "Dry", "description": "Facts only"},
        {"label": "Warm", "description": "With thanks"},
    ]
    nodes = [
        node("start-1", "start", "start"),
        node("draft", "prompt", prompt="Write about {{topic}}.", variables={"topic": "batteries"}),
        node("tone", "askUserQuestion", questionText="Which tone?", options=options, outputPorts=2),
        node("length", "ifElse", branches=branches, outputPorts=2),
        node(
            "writer",
            "subAgent",
            description="Writes",
            agentDefinition="You write.",
            prompt="Write it.",
            model="sonnet",
            outputPorts=1,
        ),
        node("frame", "group", label="Writing"),
        node("review", "codex", label="Review", prompt="Review it.", model="gpt-5-codex"),
        node("end-1", "end", "end"),
    ]
    nodes[4]["parentId"] = "frame"
    edges = [
        edge("start-1", "draft"),
        edge("draft", "tone"),
        edge("tone", "length", "branch-0"),
        edge("tone", "writer", "branch-1"),
        edge("length", "writer", "branch-0"),
        edge("length", "review", "branch-1"),
        edge("writer", "review"),
        edge("review", "end-1"),
    ]
    return whole("drawing", nodes, edges, conversationHistory={"messages": []})


def _modes() -> Document:
    """MCP nodes in the language modes."""
    described: Document = {
        **tool_fields(tool("demo", "weather")),
        "parameterValues": {},
        "mode": "naturalLanguageParam",
        "naturalLanguageParamConfig": {
            "description": "The weather of the next five days in Bern",
            "timestamp": STAMP,
        },
        "preservedDetailedConfig": {"parameterValues": {"city": "Bern"}, "timestamp": STAMP},
        "outputPorts": 1,
    }
    tasked: Document = {
        "serverId": "demo",
        "toolName": "",
        "toolDescription": "",
        "parameters": [],
        "parameterValues": {},
        "mode": "fullNaturalLanguage",
        "fullNaturalLanguageConfig": {
            "taskDescription": "Write a short report about the weather that was found",
            "availableTools": [write_snapshot(one) for one in servers()["demo"]],
            "timestamp": STAMP,
        },
        "outputPorts": 1,
    }
    return line(
        "modes",
        [
            node("start", "start"),
            node("sky", "mcp", **described),
            node("report", "mcp", **tasked),
            node("end", "end"),
        ],
    )


def _corpus() -> Document:
    """Tools of real servers, with long lists of parameters."""
    return line(
        "real-servers",
        [
            node("start", "start"),
            mcp(
                "pull",
                "github",
                "create_pull_request",
                {
                    "owner": "acme",
                    "repo": "shop",
                    "title": "{{ trigger.title }}",
                    "head": "fix",
                    "base": "main",
                    "draft": True,
                },
            ),
            mcp("zone", "time", "convert_time", dict(_TIMES)),
            mcp("note", "filesystem", "write_file", {"path": "notes.md", "content": "done"}),
            node("end", "end"),
        ],
    )


_TIMES = {"source_timezone": "UTC", "time": "10:00", "target_timezone": "Europe/Berlin"}
_SAMPLES = (
    *("ccwf/all-node-types.json", "ccwf/wrapped-modes.json"),
    *("flow/seed-003.json", "flow/export.json", "flow/third.json"),
    *("agent-team/current.json", "agent-team/lists.json"),
    *("toolweave/catalog-nodes.json", "toolweave/seed-001.json"),
)


def _sample(name: str) -> Base:
    # Any: as in `Document`.
    document: Any = json_text.read((FOLDER / name).read_bytes())
    document = an_object(document)
    # Two samples show faults that files in the wild have; here they are fixed first.
    if name == "ccwf/wrapped-modes.json":
        document["workflow"]["nodes"][1]["data"]["parameterValues"]["resource_type"] = "api"
    elif name == "agent-team/current.json":
        document["nodes"][1]["input_params"] = {}
    return Base(name, document)


@cache
def bases() -> tuple[Base, ...]:
    """Every base; documents are shared, so a fault is put into a copy."""
    numbers, order, modes, real = _numbers(), _order(), _modes(), _corpus()
    return (
        Base("numbers", numbers, "live"),
        Base("numbers-approved", numbers, "pinned"),
        Base("numbers-remembered", numbers, "alone"),
        Base("order", order, "live"),
        Base("order-remembered", order, "alone"),
        Base("live-entries", _live_entries(), "live"),
        Base("pages", _loop()),
        Base("triage", _agent()),
        Base("reshape", _reshape()),
        Base("drawing", _drawn()),
        Base("modes", modes, "live"),
        Base("real-servers", real, "pinned"),
        *(_sample(name) for name in _SAMPLES),
    )


def copied(base: Base) -> Document:
    """The base's document, to put a fault into."""
    return deepcopy(base.document)
