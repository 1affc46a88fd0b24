"""The mode metadata of exported MCP nodes, for the agent that runs them."""

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Node
from toolweave.workflow.modes import DescribedParameters, Detailed, read_mode

MAP_PARAMETERS = (
    "Map this natural language description to the tool's parameters according to the schema above."
)
CHOOSE_TOOL = (
    "Select the most appropriate tool from the available tools listed above and set its "
    "parameters according to the user's intent."
)


def export_metadata(node: Node) -> JsonObject:
    """Return the metadata of the node's mode; for a detailed node only the mode."""
    match read_mode(node.data):
        case Detailed():
            return {"mode": "detailed"}
        case DescribedParameters() as mode:
            return {
                "mode": "naturalLanguageParam",
                "toolName": mode.tool.name,
                "parameterSchema": mode.tool.input_schema,
                "userIntent": mode.description,
                "instructions": MAP_PARAMETERS,
            }
        case mode:
            tools: list[Json] = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameterSchema": tool.input_schema,
                }
                for tool in mode.tools
            ]
            return {
                "mode": "fullNaturalLanguage",
                "serverId": mode.server,
                "availableTools": tools,
                "userIntent": mode.task,
                "instructions": CHOOSE_TOOL,
            }
