"""Instructions of an MCP node for a coding agent, in each of the three modes."""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.export.agent_page import AgentPage, all_flows
from toolweave.export.comment import comment
from toolweave.export.sections import value_text
from toolweave.export.target_terms import TargetTerms
from toolweave.export.user_text import code, exact_json, fenced, one_line, prose
from toolweave.json_text import JsonObject, write
from toolweave.patterns import pattern
from toolweave.tools.parameter import Parameter
from toolweave.tools.tool import Tool
from toolweave.workflow.formats.mode_names import to_canonical_names
from toolweave.workflow.mode_export import export_metadata
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import (
    DescribedParameters,
    Detailed,
    read_mode,
    text_at,
)

METADATA = "MCP_NODE_METADATA"
# The subtype of a catalog node that calls a tool: `MCP:server/tool`.
_LIVE = "MCP:"
# Agents replace these characters in the names of servers and tools.
_OTHER = pattern(r"[^A-Za-z0-9_-]")


def mcp_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The section of a node; the language modes begin with their metadata in a comment."""
    # A generated workflow may use the editor's names.
    node = replace(node, data=to_canonical_names(node.data))
    match read_mode(node.data):
        case Detailed() as mode:
            yield from _tool(mode.tool)
            status = text_at(node.data, "validationStatus") or "unknown"
            yield f"- **Validation status**: {code(status)}"
            yield from _values(mode.values)
            yield from _parameters(mode.tool)
        case DescribedParameters() as mode:
            yield _metadata(node, mode.tool.server)
            yield from _tool(mode.tool)
            yield f"\nSet its parameters from this description:\n\n{fenced(mode.description)}"
            yield from _parameters(mode.tool)
        case mode:
            yield _metadata(node, mode.server)
            yield f"- **MCP server**: {code(mode.server)}"
            yield f"\nChoose the tool and set its parameters for this task:\n\n{fenced(mode.task)}"
            yield from _tools(mode.tools)


def tool_names(workflow: Workflow, terms: TargetTerms) -> list[str]:
    """The tools that the nodes of a workflow call, as the agent names them; each once."""
    if terms.tool_prefix is None:
        return []
    called = [[_OTHER.sub("_", name) for name in names if name] for names in called_tools(workflow)]
    return list(dict.fromkeys(terms.tool_prefix + "__".join(parts) for parts in called))


def called_tools(workflow: Workflow) -> list[tuple[str, str]]:
    """Server and tool of each call, each once; the tool is empty where any of them may be used."""
    found: dict[tuple[str, str], None] = {}
    for flow in all_flows(workflow):
        for node in flow.nodes:
            subtype = text_at(node.data, "subtype")
            if node.type == "mcp" and (server := text_at(node.data, "serverId")):
                found[server, text_at(node.data, "toolName")] = None
            elif node.type == "TOOL" and subtype.startswith(_LIVE):
                server, _, tool = subtype.removeprefix(_LIVE).partition("/")
                found[server, tool] = None
    return list(found)


def _metadata(node: Node, server: str) -> str:
    metadata: JsonObject = export_metadata(node)
    # formats.md §5: also where only the tool is named, the agent has to know whose it is.
    return comment(METADATA, {"mode": metadata["mode"], "serverId": server} | metadata) + "\n"


def _tool(tool: Tool) -> Iterator[str]:
    yield f"- **MCP server**: {code(tool.server)}"
    yield f"- **Tool**: {code(tool.name)}"
    if tool.description:
        yield f"- **Description**: {prose(tool.description)}"


def _tools(tools: tuple[Tool, ...]) -> Iterator[str]:
    if not tools:
        yield "\nAny tool of the server may be used."
        return
    yield "\nAvailable tools:\n"
    for tool in tools:
        about = prose(tool.description or "")
        yield f"- {code(tool.name)}" + (f": {about}" if about else "")


def _values(values: JsonObject) -> Iterator[str]:
    yield "\nConfigured parameters:\n"
    if not values:
        yield "- none"
    for name, value in values.items():
        text = value if isinstance(value, str) else write(value)
        if text == one_line(text):
            yield f"- {code(name)}: {value_text(value)}"
        else:  # code within a line would lose what JSON spells out
            yield f"- {code(name)}, as JSON: {code(exact_json(value))}"


def _parameters(tool: Tool) -> Iterator[str]:
    if not tool.parameters:
        return
    yield "\nAvailable parameters:\n"
    for parameter in tool.parameters:
        yield f"- {code(parameter.name)} {_kind(parameter)}{_about(parameter)}"


def _kind(parameter: Parameter) -> str:
    return f"({parameter.kind}, {'required' if parameter.required else 'optional'})"


def _about(parameter: Parameter) -> str:
    about = prose(parameter.description or "")
    choices = parameter.constraints.enum
    if choices:
        about += f" One of {', '.join(value_text(choice) for choice in choices)}."
    return f": {about.strip()}" if about else ""
