"""Resources that nodes need in this home: models, commands, servers and their tools."""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext, KnownHome
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.model import Node

MODELS = {
    "AI_AGENT.OPENAI_CHATGPT": "openai",
    "AI_AGENT.ANTHROPIC_CLAUDE": "anthropic",
    "AI_AGENT.GOOGLE_GEMINI": "gemini",
    "AI_AGENT.OPENAI_COMPATIBLE": "compatible",
}
WAYS = (
    "run `toolweave models add NAME --provider anthropic|openai|gemini`, or `--provider compatible "
    "--base-url URL` for your own model, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, "
    "GEMINI_API_KEY or TOOLWEAVE_MODEL_URL"
)
_TOOL_NODE = "_MCP_TOOL"


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield warnings only: another home may have the resource."""
    home = case.known.home
    if home is None:
        return
    for index, node in enumerate(case.workflow.nodes):
        if node.type == "AI_AGENT":
            yield from _model(home, index, node)
        elif node.ref == "ACTION.RUN_COMMAND":
            yield from _command(home, index, node)
        elif node.ref == "ACTION.WEB_SEARCH":
            yield from _server(case, home, index, node, "server")
        elif node.type == "TOOL" and (node.ref or "").endswith(_TOOL_NODE):
            yield from _server(case, home, index, node, "mcp_server_url")


def _model(home: KnownHome, index: int, node: Node) -> Iterator[Problem]:
    named = _setting(node, "configured_model")
    wanted = named or MODELS.get(node.ref or "")
    if (wanted is None and home.models) or wanted in home.models or _is_filled(wanted):
        return
    what = f"model {shown(wanted)}" if wanted else "model"
    meant = closest(named, home.models) if named else None
    hint = f"did you mean {meant!r}?" if meant else WAYS
    place = _place(index, "configured_model") if named else pointer("nodes", index)
    message = f"{shown(node.id)} needs a model, and no {what} is configured"
    patch = ({"op": "replace", "path": place, "value": meant},) if meant else None
    yield Problem("MODEL_NEEDED", place, message, hint=hint, severity="warning", patch=patch)


def _command(home: KnownHome, index: int, node: Node) -> Iterator[Problem]:
    name = _setting(node, "command")
    if name is None or _is_filled(name):
        return
    if home.commands.get(name):
        yield from _arguments(home.arguments.get(name, frozenset()), index, node)
        return
    place = _place(index, "command")
    if name in home.commands:
        message = f"command {shown(name)} is registered but not approved"
        hint = f"run `toolweave commands approve {name}` to review and approve it"
        yield Problem("COMMAND_NOT_APPROVED", place, message, hint=hint, severity="warning")
        return
    meant = closest(name, home.commands)
    add = f"run `toolweave commands add {name} -- PROGRAM ARGUMENT…` to register it"
    hint = f"did you mean {meant!r}?" if meant else add
    message = f"no command {shown(name)} is registered"
    patch = ({"op": "replace", "path": place, "value": meant},) if meant else None
    yield Problem("COMMAND_NOT_FOUND", place, message, hint=hint, severity="warning", patch=patch)


def _arguments(wanted: frozenset[str], index: int, node: Node) -> Iterator[Problem]:
    """Yield arguments that a command does not have, and those that it lacks."""
    inputs = node.data.get("inputParams")
    given = inputs.get("arguments") if isinstance(inputs, dict) else None
    if not isinstance(given, dict):
        return
    place = pointer("nodes", index, "data", "inputParams", "arguments")
    spare, missing = sorted(given.keys() - wanted), sorted(wanted - given.keys())
    is_clear = len(spare) == len(missing) == 1
    for name in spare:
        at = f"{place}{pointer(name)}"
        known = ", ".join(sorted(wanted)) or "none"
        patch = None
        if is_clear:
            patch = ({"op": "move", "from": at, "path": f"{place}{pointer(missing[0])}"},)
        message = f"the command takes no argument {shown(name)}; it takes {known}"
        yield Problem("COMMAND_ARGUMENT_INVALID", at, message, severity="warning", patch=patch)
    for name in () if spare else missing:
        message = f"the command needs the argument {shown(name)}"
        yield Problem("COMMAND_ARGUMENT_INVALID", place, message, severity="warning")


def _server(
    case: CheckContext, home: KnownHome, index: int, node: Node, field: str
) -> Iterator[Problem]:
    named = _setting(node, field)
    if named is None or _is_filled(named):
        return
    found = [
        name
        for name, url in home.servers.items()
        if named == name or (url or "").rstrip("/") == named.rstrip("/")
    ]
    if not found:
        meant = closest(named, home.servers)
        lists = "`toolweave servers list` lists the servers"
        hint = f"did you mean {meant!r}?" if meant else lists
        message = f"no approved server has the name or address {shown(named)}"
        place = _place(index, field)
        patch = ({"op": "replace", "path": place, "value": meant},) if meant else None
        yield Problem(
            "MCP_SERVER_NOT_FOUND", place, message, hint=hint, severity="warning", patch=patch
        )
        return
    tools = case.known.tools_of(found[0])
    if tools is not None:
        yield from _tools(index, node, [tool.name for tool in tools], found[0])


def _tools(index: int, node: Node, known: list[str], server: str) -> Iterator[Problem]:
    """Yield tools that a node uses and its server does not have."""
    listed = _settings(node).get("available_tools")
    inputs = node.data.get("inputParams")
    named: list[tuple[str, Json]] = [
        (_place(index, "available_tools", at), one)
        for at, one in enumerate(listed if isinstance(listed, list) else [])
    ]
    if isinstance(inputs, dict) and inputs.get("tool_name"):
        place = pointer("nodes", index, "data", "inputParams", "tool_name")
        named.append((place, inputs["tool_name"]))
    for place, one in named:
        if isinstance(one, str) and not _is_filled(one) and one not in known:
            message = f"server {shown(server)} has no approved tool {shown(one)}"
            meant = closest(one, known)
            listed = f"available tools: {', '.join(known[:10]) or 'none'}"
            hint = f"did you mean {meant!r}?" if meant else listed
            patch = ({"op": "replace", "path": place, "value": meant},) if meant else None
            yield Problem(
                "MCP_TOOL_NOT_FOUND", place, message, hint=hint, severity="warning", patch=patch
            )


def _settings(node: Node) -> dict[str, Json]:
    settings = node.data.get("configurations")
    return settings if isinstance(settings, dict) else {}


def _setting(node: Node, name: str) -> str | None:
    value = _settings(node).get(name)
    return value if isinstance(value, str) and value else None


def _place(index: int, *names: str | int) -> str:
    return pointer("nodes", index, "data", "configurations", *names)


def _is_filled(text: str | None) -> bool:
    """Whether a template provides the value at run time."""
    return text is not None and "{{" in text
