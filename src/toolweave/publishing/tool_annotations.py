"""What a call of a published workflow does to the world, as the hints of MCP.

Clients ask before they call by these hints, so a node that is not known to be harmless counts as
MCP's defaults do: it may destroy things, and it may reach anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.engine.plan import NEVER_RUN
from toolweave.json_text import JsonObject
from toolweave.nodes.action.http_request import SAFE_METHODS
from toolweave.nodes.prompt.model_answer import ANSWERED_BY, MODEL
from toolweave.nodes.registry import LIVE_TOOL, NodeRegistry
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import mode_of


@dataclass(frozen=True, slots=True)
class NodeEffects:
    """The four hints of one node; the defaults are those of MCP."""

    only_reads: bool = False
    destroys: bool = True
    repeats_safely: bool = False
    is_open: bool = True


_UNKNOWN = NodeEffects()
_NOTHING = NodeEffects(only_reads=True, destroys=False, repeats_safely=True, is_open=False)
_READS = NodeEffects(only_reads=True, destroys=False, repeats_safely=True)
_ASKS = NodeEffects(destroys=False)
_BY_REF: dict[str, NodeEffects] = {
    "FLOW.DELAY": _NOTHING,
    "FLOW.WAIT": _NOTHING,
    "FLOW.TIMEOUT": _NOTHING,
    "ACTION.FILE_READ": _NOTHING,
    "ACTION.WEB_SEARCH": _READS,
    "AI_AGENT.CLASSIFY": _READS,
    "AI_AGENT.EXTRACT": _READS,
}


def annotations_of(workflow: Workflow, known: KnownEnvironment) -> JsonObject:
    """The hints of the tool that a workflow is: the worst of all its nodes."""
    kinds = NodeRegistry()
    found = [_of_node(node, kinds, known) for node in _nodes(workflow)]
    return {
        "readOnlyHint": all(one.only_reads for one in found),
        "destructiveHint": any(one.destroys for one in found),
        "idempotentHint": all(one.repeats_safely for one in found),
        "openWorldHint": any(one.is_open for one in found),
    }


def _nodes(workflow: Workflow) -> Iterator[Node]:
    yield from (node for node in workflow.nodes if node.type not in NEVER_RUN)
    for subflow in workflow.subflows:
        yield from _nodes(subflow)


def _of_node(node: Node, kinds: NodeRegistry, known: KnownEnvironment) -> NodeEffects:
    kind = kinds.of(node)
    if kind is None:
        return _UNKNOWN
    if kind.effectful is None or node.type == "TRIGGER":
        return _NOTHING
    if node.type in ("HUMAN_IN_THE_LOOP", "askUserQuestion"):
        return _ASKS
    if node.data.get(ANSWERED_BY) == MODEL:
        return _READS
    if node.ref == "ACTION.HTTP_REQUEST":
        return _of_request(node)
    if node.type == "mcp":
        names = node.data.get("serverId"), node.data.get("toolName")
        is_fixed = mode_of(node.data) in ("detailed", "naturalLanguageParam")
        return _of_tool(*names, known) if is_fixed else _UNKNOWN
    if node.ref is not None and node.ref.startswith(LIVE_TOOL):
        server, _, tool = node.ref.removeprefix(LIVE_TOOL).partition("/")
        return _of_tool(server, tool, known)
    return _BY_REF.get(node.ref or "", _UNKNOWN)


def _of_request(node: Node) -> NodeEffects:
    settings = node.data.get("configurations")
    method = settings.get("method", "GET") if isinstance(settings, dict) else None
    return _READS if method in SAFE_METHODS else _UNKNOWN


def _of_tool(server: object, name: object, known: KnownEnvironment) -> NodeEffects:
    """The hints that the approved definition of a server's tool declares."""
    tools = (known.tools_of(server) if isinstance(server, str) else None) or ()
    tool = next((one for one in tools if one.name == name), None)
    hints = tool.raw.get("annotations") if tool else None
    if not isinstance(hints, dict):
        return _UNKNOWN
    only_reads = hints.get("readOnlyHint") is True
    return NodeEffects(
        only_reads=only_reads,
        destroys=not only_reads and hints.get("destructiveHint") is not False,
        repeats_safely=only_reads or hints.get("idempotentHint") is True,
        is_open=hints.get("openWorldHint") is not False,
    )
