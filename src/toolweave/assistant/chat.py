"""Conversations joined to the enabled servers, the gate and the models."""

from toolweave.app.studio import Studio
from toolweave.assistant.conversation import Conversation
from toolweave.assistant.tool_context import EnabledServer, ToolContext, build_context
from toolweave.nodes.model import ModelCaller
from toolweave.servers.approved_tools import ApprovedTools


async def tool_context(studio: Studio, scope: str, bound_to: str | None = None) -> ToolContext:
    """What a model may use in a conversation: the enabled servers' tools, or one server's.

    Raises:
        NotFound: `MCP_SERVER_NOT_FOUND`.
    """
    servers = [
        EnabledServer(server.id, server.name)
        for server in await studio.ground.registry.list()
        if server.enabled and server.is_approved
    ]
    shelf = ApprovedTools(studio.ground)
    return await build_context(servers, shelf.tools, studio.gate, scope=scope, bound_to=bound_to)


async def begin_conversation(
    studio: Studio,
    caller: ModelCaller,
    *,
    scope: str,
    bound_to: str | None = None,
    model: str | None = None,
) -> Conversation:
    """A new conversation; its calls count against the session `scope`."""
    return Conversation(await tool_context(studio, scope, bound_to), caller, model=model)
