"""The metadata that tells an agent how to run an exported MCP node, as the seed's examples."""

from tests.workflow.mcp_nodes import a_tool, described, seed_message, tasked

from toolweave.json_text import JsonObject
from toolweave.workflow.mode_export import export_metadata
from toolweave.workflow.modes import write_snapshot


def test_a_described_task_exports_the_tools_of_its_snapshot() -> None:
    schema: JsonObject = {"type": "object", "properties": {"url": {"type": "string"}}}
    config: JsonObject = {
        "taskDescription": "Find AWS documentation about S3 bucket policies",
        "availableTools": [
            write_snapshot(a_tool("read_documentation", url={"type": "string"})),
            {"toolName": "search", "description": "Searches.", "inputSchema": schema},
        ],
    }
    assert export_metadata(tasked(fullNaturalLanguageConfig=config)) == {
        "mode": "fullNaturalLanguage",
        "serverId": "aws",
        "availableTools": [
            {
                "name": "read_documentation",
                "description": "Does read_documentation.",
                "parameterSchema": schema | {"required": ["url"]},
            },
            {"name": "search", "description": "Searches.", "parameterSchema": schema},
        ],
        "userIntent": "Find AWS documentation about S3 bucket policies",
        "instructions": seed_message("000:FullNaturalLanguageMetadata.instructions"),
    }


def test_a_tool_without_parameters_exports_an_empty_object() -> None:
    metadata = export_metadata(described(parameters=[]))
    assert metadata["parameterSchema"] == {"type": "object", "properties": {}}
