"""Seed 000, MCP node natural language mode: what it requires, id by id. Data only."""

from tests.seeds.requirement import BySubject

REQUIREMENTS: BySubject = {
    "Workflows": {
        # McpNodeMode
        "000:McpNodeMode.values": (
            "A mode is detailed, naturalLanguageParam or fullNaturalLanguage."
        ),
        "000:McpNodeMode.default": "A node without a mode is read as detailed.",
        # NaturalLanguageParamConfig
        "000:NaturalLanguageParamConfig.description": "The description is required text.",
        "000:NaturalLanguageParamConfig.description.min": "It has at least 10 characters.",
        "000:NaturalLanguageParamConfig.description.max": "It has at most 10,000 characters.",
        "000:NaturalLanguageParamConfig.description.trim": "White space alone is no description.",
        "000:NaturalLanguageParamConfig.timestamp": "It carries YYYY-MM-DDTHH:mm:ss.sssZ.",
        "000:NaturalLanguageParamConfig.mode": "It exists only in mode naturalLanguageParam.",
        # FullNaturalLanguageConfig
        "000:FullNaturalLanguageConfig.taskDescription": "The task description is required text.",
        "000:FullNaturalLanguageConfig.taskDescription.min": "It has at least 20 characters.",
        "000:FullNaturalLanguageConfig.taskDescription.max": "It has at most 10,000 characters.",
        "000:FullNaturalLanguageConfig.taskDescription.trim": "White space alone is no task.",
        "000:FullNaturalLanguageConfig.availableTools": (
            "The server's tools at configuration time: serverId, name, description, parameters."
        ),
        "000:FullNaturalLanguageConfig.availableTools.min": "The snapshot holds at least one tool.",
        "000:FullNaturalLanguageConfig.availableTools.max": "The snapshot holds at most 200 tools.",
        "000:FullNaturalLanguageConfig.availableTools.schema": (
            "Each tool in it has a valid schema."
        ),
        "000:FullNaturalLanguageConfig.availableTools.fallback": (
            "An export without the server takes the tools from the snapshot."
        ),
        "000:FullNaturalLanguageConfig.timestamp": "It carries YYYY-MM-DDTHH:mm:ss.sssZ.",
        "000:FullNaturalLanguageConfig.mode": "It exists only in mode fullNaturalLanguage.",
        # PreservedDetailedConfig
        "000:PreservedDetailedConfig.parameterValues": "Kept values still fit the tool's schema.",
        "000:PreservedDetailedConfig.timestamp": "It carries YYYY-MM-DDTHH:mm:ss.sssZ.",
        "000:PreservedDetailedConfig.created": "Leaving detailed for a language mode creates it.",
        "000:PreservedDetailedConfig.restored": "Coming back to detailed restores its values.",
        "000:PreservedDetailedConfig.optional": "A node that never switched has none.",
        # McpNodeData, fields by mode
        "000:McpNodeData.detailed.required": (
            "Detailed needs serverId, toolName, toolDescription, parameters, parameterValues."
        ),
        "000:McpNodeData.detailed.forbidden": "Detailed has neither language configuration.",
        "000:McpNodeData.naturalLanguageParam.required": (
            "It needs serverId, toolName, toolDescription, parameters and its configuration."
        ),
        "000:McpNodeData.naturalLanguageParam.forbidden": "It has no fullNaturalLanguageConfig.",
        "000:McpNodeData.fullNaturalLanguage.required": "It needs serverId and its configuration.",
        "000:McpNodeData.fullNaturalLanguage.forbidden": (
            "Its toolName and toolDescription are empty; it has no naturalLanguageParamConfig."
        ),
        "000:McpNodeData.preservedDetailedConfig": "Every mode may carry preserved values.",
        # Timestamps
        "000:timestamp.format": "A timestamp is ISO 8601.",
        "000:timestamp.valid-date": "A timestamp names a day and time that exist.",
        "000:timestamp.not-future": "A timestamp is not in the future.",
        # Export metadata
        "000:ModeExportMetadata.detailed": "A detailed node exports as before, without metadata.",
        "000:ModeExportMetadata.comment": "Metadata sits in the Markdown as an HTML comment.",
        "000:NaturalLanguageParamMetadata.mode": "mode is naturalLanguageParam.",
        "000:NaturalLanguageParamMetadata.toolName": "toolName names the tool to call.",
        "000:NaturalLanguageParamMetadata.parameterSchema": "parameterSchema is JSON Schema.",
        "000:NaturalLanguageParamMetadata.userIntent": "userIntent is the user's description.",
        "000:NaturalLanguageParamMetadata.instructions": "instructions tell how to map the words.",
        "000:FullNaturalLanguageMetadata.mode": "mode is fullNaturalLanguage.",
        "000:FullNaturalLanguageMetadata.serverId": "serverId names the server.",
        "000:FullNaturalLanguageMetadata.availableTools": (
            "availableTools lists name, description and parameterSchema of each tool."
        ),
        "000:FullNaturalLanguageMetadata.userIntent": "userIntent is the user's task.",
        "000:FullNaturalLanguageMetadata.instructions": "instructions tell how to pick a tool.",
        # Switching: detailed to naturalLanguageParam
        "000:switch.detailed-to-param.preserve": "The parameter values are preserved.",
        "000:switch.detailed-to-param.mode": "The mode becomes naturalLanguageParam.",
        "000:switch.detailed-to-param.initialise": "Its configuration begins with no description.",
        "000:switch.detailed-to-param.clear": "fullNaturalLanguageConfig is cleared.",
        # Switching: detailed to fullNaturalLanguage
        "000:switch.detailed-to-full.preserve": "The parameter values are preserved.",
        "000:switch.detailed-to-full.mode": "The mode becomes fullNaturalLanguage.",
        "000:switch.detailed-to-full.initialise": "Its configuration begins with no task.",
        "000:switch.detailed-to-full.snapshot": "The server's tools are fetched and stored.",
        "000:switch.detailed-to-full.clear": (
            "toolName, toolDescription and naturalLanguageParamConfig are cleared."
        ),
        # Switching: naturalLanguageParam to detailed
        "000:switch.param-to-detailed.restore": "Preserved values come back when there are any.",
        "000:switch.param-to-detailed.mode": "The mode becomes detailed.",
        "000:switch.param-to-detailed.keep": "The description is kept for switching again.",
        "000:switch.param-to-detailed.clear": "fullNaturalLanguageConfig is cleared.",
        # Switching: fullNaturalLanguage to detailed
        "000:switch.full-to-detailed.restore": "Preserved values come back when there are any.",
        "000:switch.full-to-detailed.select-tool": "A tool must be chosen, as none was named.",
        "000:switch.full-to-detailed.mode": "The mode becomes detailed.",
        "000:switch.full-to-detailed.keep": "The task is kept for switching again.",
        "000:switch.full-to-detailed.clear": "naturalLanguageParamConfig is cleared.",
        # Switching: between the language modes, both ways
        "000:switch.param-and-full.keep": "The language configuration left behind is kept.",
        "000:switch.param-and-full.mode": "The mode changes, either way.",
        "000:switch.param-and-full.initialise": "The new mode's configuration is begun.",
        "000:switch.param-and-full.preserve": "Preserved detailed values stay.",
        # Older files
        "000:migration.none-needed": "A v1.2.0 workflow loads without a migration step.",
        "000:migration.defaults": "On load mode becomes detailed and the new fields stay absent.",
        "000:migration.export-identical": "A detailed node exports exactly as v1.2.0 did.",
        # Errors
        "000:MCP_NL_DESC_TOO_SHORT": "A description under its least length says so.",
        "000:MCP_NL_DESC_EMPTY": "An empty or blank description says so.",
        "000:MCP_INVALID_MODE": "A mode outside the three is named as invalid.",
        "000:MCP_MODE_CONFIG_MISMATCH": "A configuration of another mode is reported.",
        "000:MCP_TOOL_LIST_EMPTY": "Full language mode without tools is reported.",
        # Integrity
        "000:integrity.mode-config": "A configuration of another mode is cleared with a warning.",
        "000:integrity.future-timestamp": "A future timestamp becomes now, with a warning.",
        "000:integrity.stale-tools": "A tool snapshot over 7 days old gives a warning.",
    },
    "Engine": {
        "000:run.detailed": "A detailed node calls its tool with exactly its parameter values.",
    },
    "Models": {
        "000:run.naturalLanguageParam": "A model turns the description into the tool's parameters.",
        "000:run.fullNaturalLanguage": "A model picks a tool of the server and sets parameters.",
    },
    "Studio": {
        "000:ui.mode-selection": "A person switches a node between the three modes.",
        "000:ui.select-tool": "Leaving full language mode asks the person to choose a tool.",
        "000:ui.stale-tools": "The stale snapshot warning is shown.",
    },
}

SETTLED: dict[str, str] = {
    "000:McpNodeMode.values": "formats.md: the newer mode names of files in the wild are read too.",
    "000:FullNaturalLanguageConfig.availableTools.min": (
        "formats.md: files in the wild leave the snapshot out; they load, with the problem told."
    ),
    "000:run.naturalLanguageParam": "product.md: executed, not only exported.",
    "000:run.fullNaturalLanguage": "product.md: executed, not only exported.",
}

MESSAGES: dict[str, str] = {
    "000:MCP_NL_DESC_TOO_SHORT": (
        "Natural language description is too short ({length} characters). Please provide at least "
        "{min} characters to help Claude Code understand your intent."
    ),
    "000:MCP_NL_DESC_EMPTY": (
        "Natural language description cannot be empty. Please describe what you want to accomplish."
    ),
    "000:MCP_INVALID_MODE": (
        "Invalid configuration mode. Please select Detailed, Natural Language Parameter, "
        "or Full Natural Language mode."
    ),
    "000:MCP_MODE_CONFIG_MISMATCH": (
        "Configuration data does not match the selected mode. Please reconfigure the node."
    ),
    "000:MCP_TOOL_LIST_EMPTY": (
        "No tools available from the selected MCP server. "
        "Cannot configure Full Natural Language mode."
    ),
    "000:integrity.stale-tools": "Tool list may be outdated. Server may have new tools.",
    "000:NaturalLanguageParamMetadata.instructions": (
        "Map this natural language description to the tool's parameters "
        "according to the schema above."
    ),
    "000:FullNaturalLanguageMetadata.instructions": (
        "Select the most appropriate tool from the available tools listed above and set its "
        "parameters according to the user's intent."
    ),
}

INTERNAL: dict[str, str] = {}
