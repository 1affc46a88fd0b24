"""Which code answers which default tool."""

from toolweave.mcp_server.app_tools import AppTools
from toolweave.mcp_server.authoring import AuthoringTools
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.definitions import app, authoring, library, running
from toolweave.mcp_server.diagnostics import DiagnosticTools
from toolweave.mcp_server.library_tools import LibraryTools
from toolweave.mcp_server.run_tools import RunTools
from toolweave.mcp_server.stored_workflows import StoredWorkflowTools
from toolweave.mcp_server.tool_call import Tools


def contributed(context: McpContext) -> dict[str, Tools]:
    """The tools by name; the studio is opened by the first call."""
    tools: dict[str, Tools] = {}
    tools |= dict.fromkeys((one.name for one in authoring.DEFINITIONS), AuthoringTools(context))
    tools |= dict.fromkeys((one.name for one in authoring.STORED), StoredWorkflowTools(context))
    tools |= dict.fromkeys((one.name for one in authoring.DIAGNOSTICS), DiagnosticTools(context))
    tools |= dict.fromkeys((one.name for one in running.DEFINITIONS), RunTools(context))
    tools |= dict.fromkeys((one.name for one in library.DEFINITIONS), LibraryTools(context))
    tools |= dict.fromkeys((one.name for one in app.DEFINITIONS), AppTools(context))
    return tools
