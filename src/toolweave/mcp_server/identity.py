"""The server's identity in `initialize` and `server/discover`."""

import toolweave
from toolweave.json_text import JsonObject

NAME = "toolweave"
TITLE = "Toolweave"
# At most 150 tokens: every client sends it to its model.
INSTRUCTIONS = (
    "Write workflows: get_node_types, get_node_details (never invent nodes), validate_workflow "
    "until valid, save_workflow, run_workflow, publish_workflow. run_id = still running: "
    "run_status.\n"
    "{name, inputSchema, nodes: [{id, name, type, subtype, configurations, input_params}], "
    "connections: [{from_node, to_node, output_key}]}\n"
    "output_key is the port: true/false of IF, error of any node, default output. Values take "
    "CEL: {{ node_id.field }}, {{ trigger.x }} = the run's input, {{ data.x }} = the input, "
    "{{ data.error.message }} after error."
)
TOOLS_FRESH_MS = 1_000

SERVER_INFO: JsonObject = {"name": NAME, "title": TITLE, "version": toolweave.__version__}
