"""The metadata that tells an agent how to run an exported MCP node, as the seed's examples."""

import pytest
from tests.workflow.mcp_nodes import a_node, a_tool, described, detailed, seed_message, tasked

from toolweave.json_text import JsonObject
from toolweave.workflow.mode_export import export_metadata
from toolweave.workflow.modes import write_snapshot


@pytest.mark.requirement("000:ModeExportMetadata.detailed")
def test_a_detailed_node_has_no_metadata_but_its_mode() -> None:
    assert export_metadata(detailed()) == {"mode": "detailed"}
    assert export_metadata(a_node({})) == {"mode": "detailed"}


@pytest.mark.requirement(
    "000:NaturalLanguageParamMetadata.mode",
    "000:NaturalLanguageParamMetadata.toolName",
    "000:NaturalLanguageParamMetadata.parameterSchema",
    "000:NaturalLanguageParamMetadata.userIntent",
    "000:NaturalLanguageParamMetadata.instructions",
)
def test_described_parameters_export_as_in_the_seed() -> None:
    assert export_metadata(described("List all S3 buckets in us-east-1 region")) == {
        "mode": "naturalLanguageParam",
        "toolName": "get_regional_availability",
        "parameterSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string"},
                "resource_type": {"type": "string", "enum": ["product", "api", "cfn"]},
            },
            "required": ["region", "resource_type"],
        },
        "userIntent": "List all S3 buckets in us-east-1 region",
        "instructions": seed_message("000:NaturalLanguageParamMetadata.instructions"),
    }


@pytest.mark.requirement(
    "000:FullNaturalLanguageMetadata.mode",
    "000:FullNaturalLanguageMetadata.serverId",
    "000:FullNaturalLanguageMetadata.availableTools",
    "000:FullNaturalLanguageMetadata.userIntent",
    "000:FullNaturalLanguageMetadata.instructions",
    "000:FullNaturalLanguageConfig.availableTools.fallback",
)
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
