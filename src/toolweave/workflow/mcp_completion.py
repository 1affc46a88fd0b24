"""Complete the MCP nodes of a workflow that is saved, loaded or exported.

Only what is certain is changed: timestamps, data of another mode, and what is copied from the
approved tools or computed from them.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.mode_check import MAX_TOOLS, check_mode
from toolweave.workflow.mode_status import LiveTools, live_status, with_status
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import (
    KEPT,
    TASK_CONFIG,
    mode_of,
    object_at,
    text_at,
    tool_fields,
    write_snapshot,
)

_CERTAIN = frozenset({"MCP_TIMESTAMP_INVALID", "MCP_TIMESTAMP_FUTURE", "MCP_MODE_CONFIG_MISMATCH"})


def completed_nodes(workflow: Workflow, now: datetime, tools: LiveTools) -> Workflow:
    """The workflow with each MCP node repaired, its tool's schema stored, its status computed."""
    return _each(workflow, lambda node: _completed(node, now, tools))


def certain_repairs(workflow: Workflow, now: datetime) -> list[Problem]:
    """The problems that `completed_nodes` repairs, with pointers into the workflow before."""
    return [
        replace(
            problem,
            pointer=f"/nodes/{index}/data{problem.pointer}",
            severity="warning",
            hint="repaired when the workflow was loaded; save it to keep the repair",
            patch=None,
        )
        for index, node in enumerate(workflow.nodes)
        for problem in check_mode(node, now)
        if _is_certain(problem)
    ]


def _each(workflow: Workflow, change: Callable[[Node], Node]) -> Workflow:
    nodes = tuple(change(node) if node.type == "mcp" else node for node in workflow.nodes)
    subflows = tuple(_each(subflow, change) for subflow in workflow.subflows)
    if all(new is old for new, old in zip(nodes, workflow.nodes, strict=True)) and all(
        new is old for new, old in zip(subflows, workflow.subflows, strict=True)
    ):
        return workflow
    return replace(workflow, nodes=nodes, subflows=subflows)


def _completed(node: Node, now: datetime, tools: LiveTools) -> Node:
    node = _snapshot(_with_tool(_repaired(node, now), tools), now, tools)
    if "outputPorts" not in node.data:
        node = replace(node, data={**node.data, "outputPorts": 1})
    return with_status(node, live_status(node, tools).status)


def _repaired(node: Node, now: datetime) -> Node:
    for problem in check_mode(node, now):
        if problem.patch is None or not _is_certain(problem):
            continue
        key = problem.pointer.strip("/")
        if key in KEPT:  # the words of another mode are kept for switching to it
            kept: JsonObject = {KEPT[key]: node.data[key], **node.data}
            node = replace(node, data={one: kept[one] for one in kept if one != key})
            continue
        data = apply_patch(node.data, problem.patch)
        assert isinstance(data, dict)
        node = replace(node, data=data)
    return node


def _is_certain(problem: Problem) -> bool:
    # A missing configuration is also a mismatch, but an error: its patch is a guess.
    is_guess = problem.code == "MCP_MODE_CONFIG_MISMATCH" and problem.severity == "error"
    return problem.code in _CERTAIN and not is_guess


def _with_tool(node: Node, tools: LiveTools) -> Node:
    """Store the schema of the approved tool in a node that has none."""
    data = node.data
    name = text_at(data, "toolName")
    if data.get("parameters") or not name or mode_of(data) in (None, "fullNaturalLanguage"):
        return node
    for tool in tools(text_at(data, "serverId")) or ():
        if tool.name == name:
            about = text_at(data, "toolDescription") or tool.description
            stored: JsonObject = {**data, **tool_fields(tool), "toolDescription": about}
            return node if stored == data else replace(node, data=stored)
    return node


def _snapshot(node: Node, now: datetime, tools: LiveTools) -> Node:
    """Store the approved tools in a node that describes its task and has none."""
    if not _lacks_tools(node):
        return node
    config = object_at(node.data, TASK_CONFIG)
    known = list(tools(text_at(node.data, "serverId")) or ())
    if not known or len(known) > MAX_TOOLS:
        # Absent is "not listed yet": the server's tools are used when the workflow runs.
        rest = {key: value for key, value in config.items() if key != "availableTools"}
        return node if rest == config else replace(node, data={**node.data, TASK_CONFIG: rest})
    entries: list[Json] = [write_snapshot(tool) for tool in known]
    taken: JsonObject = {**config, "availableTools": entries, "timestamp": timestamp(now)}
    return replace(node, data={**node.data, TASK_CONFIG: taken})


def _lacks_tools(node: Node) -> bool:
    config = object_at(node.data, TASK_CONFIG)
    is_task = mode_of(node.data) == "fullNaturalLanguage" and bool(config)
    return is_task and not config.get("availableTools")
