"""Seed 001, MCP node integration: what it requires, id by id. Data only."""

from tests.seeds.requirement import BySubject

REQUIREMENTS: BySubject = {
    "Ground": {
        # Rules that the ground fulfils
        "001:FR-001": "Servers come from the configuration of Claude Code.",
        "001:FR-002": "Servers are told apart by scope: user, project, enterprise.",
        "001:FR-003": "A server's tools are read from that server.",
        "001:FR-008": "Values are checked against type and constraints before they are used.",
        # McpServerReference
        "001:McpServerReference.name": "A server has a name that identifies it.",
        "001:McpServerReference.displayName": "It has a name for people, derived from the name.",
        "001:McpServerReference.description": "It may say what it is for.",
        "001:McpServerReference.scope": "Its scope comes from where it is configured and stays.",
        "001:McpServerReference.connectionStatus": "It is connected or not, as last found.",
        "001:McpServerReference.type": "Its transport is stdio, sse or http.",
        "001:McpServerReference.command": "A stdio server has a command.",
        "001:McpServerReference.args": "A command has a list of arguments.",
        "001:McpServerReference.environment": "A command may have environment variables.",
        "001:McpServerReference.tools": "Its tools are listed on demand.",
        # McpToolReference
        "001:McpToolReference.serverId": "A tool names its server.",
        "001:McpToolReference.toolName": "A tool has the name the server gave it, unchanged.",
        "001:McpToolReference.description": "A tool has the server's description.",
        "001:McpToolReference.inputSchema": "The raw JSON Schema is kept; draft 7 is understood.",
        "001:McpToolReference.normalizedParameters": "The schema becomes a parameter tree.",
        # ToolParameter
        "001:ToolParameter.name": "A parameter has its property's name.",
        "001:ToolParameter.type": (
            "Its type is string, number, boolean, integer, array or object, and values match it."
        ),
        "001:ToolParameter.description": "It carries the schema's description.",
        "001:ToolParameter.required": "It knows whether the tool demands it.",
        "001:ToolParameter.default": "It carries the schema's default.",
        "001:ToolParameter.validation": "It carries every constraint of the schema.",
        "001:ToolParameter.items": "An array's items have a parameter of their own.",
        "001:ToolParameter.properties": "An object's properties have parameters of their own.",
        "001:ToolParameter.validation.minLength": "A text shorter than minLength is refused.",
        "001:ToolParameter.validation.maxLength": "A text longer than maxLength is refused.",
        "001:ToolParameter.validation.pattern": "A text that does not match pattern is refused.",
        "001:ToolParameter.validation.minimum": "A number under minimum is refused.",
        "001:ToolParameter.validation.maximum": "A number over maximum is refused.",
        "001:ToolParameter.validation.enum": "A value outside enum is refused, before all else.",
        "001:ToolParameter.complex.array": "Each item of an array is checked by its items schema.",
        "001:ToolParameter.complex.object": "Each property of an object is checked by its own.",
        "001:ToolParameter.complex.nested": "Arrays of objects are followed to any depth.",
        # ToolParameterValues
        "001:ToolParameterValues.required": "A missing required value is reported.",
        "001:ToolParameterValues.all-at-once": "All values are checked, not only up to a fault.",
        "001:ToolParameterValues.clear-messages": "A wrong value gets a message one can act on.",
        # Constants
        "001:VALIDATION_RULES.MCP_PARAMETER.STRING_MIN_LENGTH": "A text may be empty.",
        "001:VALIDATION_RULES.MCP_PARAMETER.STRING_MAX_LENGTH": (
            "A text over 10,000 characters is reported."
        ),
        "001:VALIDATION_RULES.MCP_PARAMETER.NUMBER_MIN": "A number has no least value by itself.",
        "001:VALIDATION_RULES.MCP_PARAMETER.NUMBER_MAX": (
            "A number has no greatest value by itself."
        ),
        "001:VALIDATION_RULES.MCP_PARAMETER.ENUM_MAX_VALUES": (
            "A parameter with over 100 enum values is reported."
        ),
        "001:VALIDATION_RULES.MCP_TOOL.MAX_PARAMETERS": (
            "A tool with over 50 parameters is reported."
        ),
        "001:VALIDATION_RULES.MCP_TOOL.MAX_ENUM_VALUES": (
            "A tool with an enum of over 100 values is reported."
        ),
        # Errors
        "001:MCP_SERVER_NOT_FOUND": "An unknown server is named.",
        "001:MCP_SERVER_DISCONNECTED": "A server that cannot be reached is named with the reason.",
        "001:MCP_CLI_NOT_FOUND": "A command that is not installed is reported.",
        "001:MCP_CLI_TIMEOUT": "A command that does not answer in time is reported.",
        "001:MCP_TOOL_NOT_FOUND": "An unknown tool is named.",
        "001:MCP_TOOL_SCHEMA_INVALID": "A tool whose schema cannot be read is named.",
        "001:MCP_PARAMETER_INVALID_TYPE": "A value of the wrong type is reported.",
        "001:MCP_PARAMETER_REQUIRED": "A missing required value is reported under this code.",
        "001:MCP_PARAMETER_CONSTRAINT_VIOLATED": "A value outside its constraints is reported.",
        "001:MCP_PARAMETER_ENUM_INVALID": "A value outside its enum is reported under this code.",
    },
    "Workflows": {
        # Rules
        "001:FR-005": "Choosing a tool makes an MCP node.",
        "001:FR-006": "The node stores server, tool name, description and parameters.",
        "001:FR-010": "The node's data is in the workflow JSON when it is saved.",
        "001:FR-011": "Loading a workflow checks its MCP nodes.",
        "001:FR-012": "A node's validation status is valid, missing or invalid.",
        "001:FR-013": "MCP nodes are exported in a slash command.",
        "001:FR-014": "MCP nodes connect to other nodes like any node.",
        # McpNode
        "001:McpNode.id": "A node has a unique id.",
        "001:McpNode.type": "An MCP node's type is `mcp`.",
        "001:McpNode.name": "A node has a display name.",
        "001:McpNode.position": "A node has a place, x and y.",
        "001:McpNode.data": "An MCP node carries its MCP data.",
        "001:McpNode.transition.configured": "Giving parameters turns created into configured.",
        "001:McpNode.transition.valid": "A passed check on a reachable server makes it valid.",
        "001:McpNode.transition.missing": "A server not found on load makes it missing.",
        "001:McpNode.transition.invalid": "A changed server or tool schema makes it invalid.",
        # McpNodeData
        "001:McpNodeData.serverId": "serverId is required and names a server.",
        "001:McpNodeData.toolName": "toolName is required and names a tool.",
        "001:McpNodeData.toolDescription": "toolDescription is required.",
        "001:McpNodeData.parameters": (
            "parameters match the tool's definition and stay as they are."
        ),
        "001:McpNodeData.parameterValues": "parameterValues begin empty and fit the parameters.",
        "001:McpNodeData.validationStatus": (
            "validationStatus is computed on load, not set by hand."
        ),
        "001:McpNodeData.outputPorts": "outputPorts is always 1.",
        # Constants
        "001:VALIDATION_RULES.MCP.NAME_MIN_LENGTH": "A node name has at least 1 character.",
        "001:VALIDATION_RULES.MCP.NAME_MAX_LENGTH": "A node name has at most 64 characters.",
        "001:VALIDATION_RULES.MCP.NAME_PATTERN": "A node name matches ^[a-z0-9-]+$.",
        "001:VALIDATION_RULES.MCP.DESCRIPTION_MAX_LENGTH": (
            "A description has at most 1,024 characters."
        ),
        "001:VALIDATION_RULES.MCP.OUTPUT_PORTS": "An MCP node has exactly one output port.",
        # Workflow JSON
        "001:Workflow.id": "A workflow has an id.",
        "001:Workflow.name": "A workflow has a name.",
        "001:Workflow.version": "A workflow has a version.",
        "001:Workflow.schemaVersion": "A workflow names its schema version.",
        "001:Workflow.schemaVersion.older": "A workflow before 1.1.0, without MCP nodes, loads.",
        "001:Workflow.nodes": "A workflow has nodes: id, type, name, position, data.",
        "001:Workflow.nodes.start-end": "Start and end nodes carry a label.",
        "001:Workflow.connections": "A connection has id, from, to, fromPort, toPort.",
        "001:Workflow.createdAt": "A workflow says when it was made.",
        "001:Workflow.updatedAt": "A workflow says when it was changed.",
        "001:Workflow.sample": "The seed's sample workflow loads and saves without a difference.",
        "001:Workflow.no-runtime-state": "What is known of live servers is not saved with it.",
        # Errors
        "001:MCP_NODE_VALIDATION_FAILED": "A node that fails its check is reported.",
        "001:MCP_NODE_NOT_FOUND": "An unknown node is named.",
    },
    "Studio": {
        # Rules
        "001:FR-004": "A tool can be chosen in the MCP browser dialog.",
        "001:FR-007": "A property panel edits the parameters.",
        "001:FR-009": "The panel shows each parameter's description.",
        "001:FR-015": "MCP nodes look different from other nodes.",
        # The browser
        "001:ui.browser.scope": "The browser shows each server's scope.",
        "001:ui.browser.status": "The browser shows each server's connection status.",
        "001:ui.browser.tool-count": "The browser shows how many tools a server has.",
        "001:ui.browser.tools": "Choosing a server loads and shows its tools.",
        # The form
        "001:ui.form.array": "An array is a list with buttons to add and remove items.",
        "001:ui.form.enum": "An enum is a list to choose from.",
        "001:ui.form.object": "An object is a section that folds, its properties inside.",
        "001:ui.form.nested": "Nested types are shown recursively.",
        "001:ui.form.live-check": "A value is checked as it is entered.",
        "001:ui.form.save": "Saving checks all values and stores them when they are valid.",
        "001:ui.form.refuse": "Wrong values show their messages and are not saved.",
        "001:ui.node.invalid-usable": "An invalid node can still be edited; it bears a warning.",
    },
}

SETTLED: dict[str, str] = {
    "001:FR-001": (
        "mcp.md: the configuration files are read, of six clients; `claude mcp list` is an option."
    ),
    "001:FR-002": "mcp.md: Claude Code's local scope is a fourth one.",
    "001:FR-003": "mcp.md: `tools/list` over a connection, not `claude mcp get`.",
    "001:McpServerReference.command": "product.md: an HTTP or SSE server has an address instead.",
    "001:MCP_CLI_NOT_FOUND": "mcp.md: the `claude` command itself is only an option.",
    "001:MCP_CLI_TIMEOUT": "mcp.md: the `claude` command itself is only an option.",
    "001:McpNode.id": "The seed says UUID and shows `node-mcp-1`: any unique text is read.",
    "001:VALIDATION_RULES.MCP.NAME_PATTERN": (
        "formats.md: the seed's own samples break the pattern, so a name outside it is a warning."
    ),
    "001:ui.form.refuse": (
        "A wrong value keeps the whole workflow from being saved; a person may insist, as a node "
        "that is invalid stays usable (001). A missing one is work in progress."
    ),
    "001:ui.form.save": "There is one save, of the workflow; it checks every value of every node.",
    "001:FR-013": "formats.md: nine coding agents' formats, slash command among them.",
}

MESSAGES: dict[str, str] = {}

INTERNAL: dict[str, str] = {}
