"""Create conversations from the enabled servers, the gate and the models."""

from toolweave.assistant.conversation import Conversation
from toolweave.assistant.tool_context import EnabledServer, ToolContext, build_context
from toolweave.catalog.resources.model import ModelCaller
from toolweave.home import Home
from toolweave.servers.approved_tools import ApprovedTools
from toolweave.servers.connections import require_enabled
from toolweave.servers.gate import Gate


async def tool_context(
    home: Home, gate: Gate, scope: str, bound_to: str | None = None
) -> ToolContext:
    """Return the tools of a conversation: those of all enabled servers, or of one server."""
    if bound_to is not None:
        require_enabled(await home.registry.get(bound_to))
    servers = [
        EnabledServer(server.id, server.name)
        for server in await home.registry.list()
        if server.enabled and server.is_approved
    ]
    shelf = ApprovedTools(home.registry, home.lockfile)
    return await build_context(servers, shelf.chat_tools, gate, scope=scope, bound_to=bound_to)


async def begin_conversation(
    home: Home,
    gate: Gate,
    caller: ModelCaller,
    *,
    scope: str,
    bound_to: str | None = None,
    model: str | None = None,
    about: str | None = None,
) -> Conversation:
    """Return a new conversation; its calls count for the session `scope`.

    `about` is the text of a document that the conversation is about.
    """
    context = await tool_context(home, gate, scope, bound_to)
    return Conversation(context, caller, model=model, about=about)
