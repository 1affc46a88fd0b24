"""The server's identity in `initialize` and `server/discover`."""

import toolweave
from toolweave.json_text import JsonObject

NAME = "toolweave"
TITLE = "Toolweave"
INSTRUCTIONS = (
    "Workflow nodes, and workflows as tools. Call get_node_types first, then get_node_details for "
    "each node you plan to use; search_nodes finds a node by what it does. Never invent node "
    "names. Then validate_workflow until it is valid, save_workflow, run_workflow, "
    "publish_workflow. A tool that answers with a run_id is still running: see run_status."
)
TOOLS_FRESH_MS = 1_000

SERVER_INFO: JsonObject = {"name": NAME, "title": TITLE, "version": toolweave.__version__}
