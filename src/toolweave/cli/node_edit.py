"""`toolweave node`: change one node of a workflow file."""

from dataclasses import replace
from typing import cast

import click

from toolweave.authoring.environment import (
    mcp_node_in,
    node_in,
    offered_tools,
    require_answer,
    tool_in,
)
from toolweave.cli.known_tools import known_tools
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.workflow_files import read_file
from toolweave.clock import SystemClock
from toolweave.errors import Invalid
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import load
from toolweave.workflow.mcp_node import configured, node_for
from toolweave.workflow.mode_switch import refuse_new_errors, switch_mode
from toolweave.workflow.model import Edge, EdgeId, Node, Workflow
from toolweave.workflow.modes import MODES, Mode, mode_of, text_at


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("node_id", metavar="NODE")
@click.option("--set", "to", type=click.Choice(MODES), help="The mode to switch to.")
@click.option("--description", help="What you want in plain language; for the language modes.")
@click.option("--tool", "tool_name", help="Another tool of the node's server.")
@click.option(
    "--only",
    multiple=True,
    metavar="TOOL",
    help="Repeatable. For fullNaturalLanguage: choose from these tools instead of all.",
)
@click.option("--live", is_flag=True, help="Ask the server for its tools instead of the lockfile.")
@json_option
def mode(
    file: str,
    node_id: str,
    to: str | None,
    description: str | None,
    tool_name: str | None,
    only: tuple[str, ...],
    live: bool,
    as_json: bool,
) -> None:
    """Show or switch the mode of an MCP node; values of the other modes are kept."""
    given = read_file(file)
    loaded = load(given.data, name_hint=given.name)
    found = mcp_node_in(loaded.workflow, node_id)
    if to is None:
        _show(found, as_json=as_json)
        return
    server = text_at(found.data, "serverId")
    tools = _tools(server, loaded.workflow, live=live) if server else []
    now = SystemClock().now()
    changed = switch_mode(
        found,
        cast("Mode", to),
        now=now,
        description=description,
        tool=tool_in(tools, server, tool_name) if tool_name else None,
        available_tools=offered_tools(found, tools, only or None, live=live) or None,
    )
    refuse_new_errors(found, changed, now)
    workflow = _with_node(loaded.workflow, found, changed)
    if changed is not found:
        given.replace(given.dumped(workflow, loaded.format))
    if file != "-":
        _show(changed, as_json=as_json)


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("server")
@click.argument("tool_name", metavar="TOOL")
@click.option("--arg", "pairs", multiple=True, metavar="NAME=VALUE", help="One parameter.")
@click.option("--after", metavar="NODE", help="Insert after this node.")
@json_option
def add(
    file: str,
    server: str,
    tool_name: str,
    pairs: tuple[str, ...],
    after: str | None,
    as_json: bool,
) -> None:
    """Add a node that calls an approved tool; values are checked against the tool's schema."""
    given = read_file(file)
    loaded = load(given.data, name_hint=given.name)
    workflow = loaded.workflow
    tool = tool_in(_tools(server, workflow, live=False), server, tool_name)
    values, problems = coerce_arguments(tool, [pair for pair in pairs if "{{" not in pair])
    values |= dict(pair.split("=", 1) for pair in pairs if "{{" in pair and "=" in pair)
    if problems:
        raise Invalid("MCP_ARGUMENTS_INVALID", problems[0].message, problems=problems)
    made = node_for(tool, {node.id for node in workflow.nodes})
    made = configured(made, values) if values else made
    edges = workflow.edges
    if after is not None:
        source = node_in(workflow, after).id
        edges = (*edges, Edge(EdgeId(f"{source}-{made.id}"), source, made.id))
    changed = replace(workflow, nodes=(*workflow.nodes, made), edges=edges)
    given.replace(given.dumped(changed, loaded.format))
    if file != "-":
        _show(made, as_json=as_json)


def _tools(server: str, workflow: Workflow, *, live: bool) -> list[Tool]:
    async def work() -> KnownEnvironment:
        async with current_home() as home:
            known, reasons = await known_tools(home, [workflow], live=live)
        require_answer(known, reasons, server)
        return known

    known = run(work)
    look = known.tools or known.pinned
    return list((look(server) if look else None) or ())


def _with_node(workflow: Workflow, old: Node, new: Node) -> Workflow:
    nodes = tuple(new if node is old else node for node in workflow.nodes)
    return replace(workflow, nodes=nodes)


def _show(node: Node, *, as_json: bool) -> None:
    if as_json:
        print_json({"id": node.id, "name": node.name, "mode": mode_of(node.data), **node.data})
        return
    say((node.title, "bold"), f"  {mode_of(node.data) or 'unknown mode'}")
    for key in ("serverId", "toolName"):
        if text := text_at(node.data, key):
            say(f"{key}  {text}", indent=2)
    for key in ("naturalLanguageParamConfig", "fullNaturalLanguageConfig"):
        config = node.data.get(key)
        if isinstance(config, dict):
            words = config.get("description") or config.get("taskDescription")
            say(str(words), indent=2)
