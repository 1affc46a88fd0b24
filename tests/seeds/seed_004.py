"""Seed 004, MCP node knowledge server: what it requires, id by id. Data only.

Of its future list the design takes up search, semantic ranking, caching, compatibility and usage
counts; workflow templates, Redis and GraphQL are not promised, so they have no id. Its cloud
deployment (Supabase, ECS) is not ours.
"""

from tests.seeds.requirement import BySubject

REQUIREMENTS: BySubject = {
    "Catalog": {
        # get_node_types
        "004:tool.get_node_types": "The tool lists every node type with its subtypes.",
        "004:tool.get_node_types.type_filter": "type_filter leaves one of the eight types.",
        "004:tool.get_node_types.guidance": "Its text says not to add IF or AI_AGENT after a HIL.",
        "004:tool.get_node_types.failure": "It returns an empty dict when the registry fails.",
        # get_node_details
        "004:tool.get_node_details": "The tool gives full specifications.",
        "004:tool.get_node_details.nodes": "nodes is required: pairs of node_type and subtype.",
        "004:tool.get_node_details.include_examples": "include_examples is true unless said.",
        "004:tool.get_node_details.include_schemas": "include_schemas is true unless said.",
        "004:tool.get_node_details.batch": "Several nodes come in one call, in order.",
        "004:tool.get_node_details.guidance": "Its text reports HIL's four built-in outputs.",
        "004:tool.get_node_details.correction": "A type with _NODE is corrected, with a warning.",
        "004:tool.get_node_details.unknown": "An unknown node gives an error with a hint.",
        "004:tool.get_node_details.degrades": "One bad entry does not spoil the others.",
        # Future list, taken up
        "004:tool.search_nodes": "The tool finds nodes by words in texts, parameters and ports.",
        "004:future.semantic-search": "Search ranks by meaning.",
        "004:future.caching": "Specifications are serialised once and kept.",
        "004:future.compatibility": "It can be asked whether two nodes fit together.",
        "004:future.usage-analytics": "Queries are counted per node.",
        # A specification as served
        "004:NodeDetails.node_type": "node_type has no _NODE suffix.",
        "004:NodeDetails.subtype": "subtype names the variant.",
        "004:NodeDetails.version": "version is given.",
        "004:NodeDetails.description": "description is for people.",
        "004:NodeDetails.parameters": (
            "parameters is the older list: name, type, required, default_value, description, "
            "enum_values, validation_pattern."
        ),
        "004:NodeDetails.configurations": (
            "configurations maps a name to type, default, description, required, min, max, "
            "options, enum_values, validation_pattern."
        ),
        "004:NodeDetails.input_params_schema": (
            "input_params_schema maps a name to type, default, description, required."
        ),
        "004:NodeDetails.output_params_schema": (
            "output_params_schema maps a name to type and description."
        ),
        "004:NodeDetails.default_configurations": "Their defaults are given as values.",
        "004:NodeDetails.default_input_params": "Input defaults are given as values.",
        "004:NodeDetails.default_output_params": "Output defaults are given as values.",
        "004:NodeDetails.input_ports": (
            "input_ports have name, type, required, description, max_connections, data_format, "
            "validation_schema."
        ),
        "004:NodeDetails.output_ports": "output_ports have the same shape.",
        "004:NodeDetails.tags": "tags are given.",
        "004:NodeDetails.attached_nodes": "AI_AGENT nodes, and only they, have attached_nodes.",
        "004:NodeDetails.examples": "examples are there when asked for.",
        "004:NodeDetails.warning": "warning is there when something was corrected.",
        "004:NodeDetails.error": "error is there when the specification is not found.",
        "004:NodeDetails.sample": "The seed's OPENAI_CHATGPT answer has all its field names.",
        "004:example-by-type": "A value without a default gets an example by its type.",
        # Registry
        "004:registry.types": "The registry gives the eight types with their subtypes.",
        "004:registry.get": "The registry gives one specification by type and subtype.",
        "004:registry.all": "The registry gives all specifications.",
        "004:registry.count": "It holds 50 and more specifications.",
        "004:registry.legacy-format": "A specification in the older form is served.",
        "004:registry.modern-format": "A specification in the newer form is served.",
        "004:registry.one-answer": "Both forms give answers of one shape.",
        "004:registry.in-memory": "It is loaded once, from code, and needs no database.",
        # Specifications
        "004:spec.TRIGGER.MANUAL": "It requires nothing.",
        "004:spec.TRIGGER.WEBHOOK": "It requires webhook_path.",
        "004:spec.TRIGGER.CRON": "It requires cron_expression.",
        "004:spec.TRIGGER.GITHUB": "It requires repository and events.",
        "004:spec.TRIGGER.SLACK": "It requires workspace_id, events and bot_token.",
        "004:spec.TRIGGER.EMAIL": "It requires email_provider, server_config and credentials.",
        "004:spec.AI_AGENT.OPENAI_CHATGPT": "It requires model, system_prompt and user_prompt.",
        "004:spec.AI_AGENT.ANTHROPIC_CLAUDE": "It requires model and user_prompt.",
        "004:spec.AI_AGENT.GOOGLE_GEMINI": "It requires model and user_prompt.",
        "004:spec.EXTERNAL_ACTION.SLACK": "It requires action_type, channel and bot_token.",
        "004:spec.EXTERNAL_ACTION.GITHUB": (
            "It requires github_token, action_type and repository_config."
        ),
        "004:spec.EXTERNAL_ACTION.NOTION": "It requires notion_token and instruction.",
        "004:spec.EXTERNAL_ACTION.GOOGLE_CALENDAR": "It requires access_token and action_type.",
        "004:spec.EXTERNAL_ACTION.FIRECRAWL": "It requires firecrawl_api_key and action_type.",
        "004:spec.EXTERNAL_ACTION.DISCORD_ACTION": "It requires action_type and server_id.",
        "004:spec.EXTERNAL_ACTION.TELEGRAM_ACTION": (
            "It requires telegram_bot_token, action_type and chat_id."
        ),
        "004:spec.ACTION.HTTP_REQUEST": "It requires method and url.",
        "004:spec.ACTION.DATA_TRANSFORMATION": "It requires operation and data.",
        "004:spec.FLOW.IF": "It requires condition_expression and data.",
        "004:spec.FLOW.LOOP": "It requires loop_type and data.",
        "004:spec.FLOW.MERGE": "It requires merge_strategy and data.",
        "004:spec.FLOW.FILTER": "It requires filter_mode, filter_type, conditions and data.",
        "004:spec.FLOW.SORT": "It requires sort_field and data.",
        "004:spec.FLOW.WAIT": "It requires wait_type and data.",
        "004:spec.FLOW.DELAY": "It requires data.",
        "004:spec.HUMAN_IN_THE_LOOP.SLACK_INTERACTION": (
            "It requires channel, bot_token and clarification_question_template."
        ),
        "004:spec.HUMAN_IN_THE_LOOP.GMAIL_INTERACTION": (
            "It requires gmail_credentials, sender_email, recipient_emails, email_subject and "
            "email_template."
        ),
        "004:spec.HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION": (
            "It requires outlook_credentials, sender_email, recipient_emails, email_subject and "
            "email_template."
        ),
        "004:spec.HUMAN_IN_THE_LOOP.DISCORD_INTERACTION": (
            "It requires server_id, channel_id and message_template."
        ),
        "004:spec.HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION": (
            "It requires telegram_bot_token, chat_id and message_template."
        ),
        "004:spec.HUMAN_IN_THE_LOOP.MANUAL_REVIEW": (
            "It requires review_type, review_title, review_description, reviewers and "
            "review_criteria."
        ),
        "004:spec.TOOL.NOTION_MCP_TOOL": "It requires tool_name.",
        "004:spec.TOOL.GOOGLE_CALENDAR_MCP_TOOL": (
            "It requires mcp_server_url, access_token and tool_name."
        ),
        "004:spec.TOOL.SLACK_MCP_TOOL": "It requires mcp_server_url, access_token and tool_name.",
        "004:spec.TOOL.FIRECRAWL_MCP_TOOL": (
            "It requires mcp_server_url, firecrawl_api_key and tool_name."
        ),
        "004:spec.TOOL.DISCORD_MCP_TOOL": (
            "It requires mcp_server_url, discord_bot_token and tool_name."
        ),
        "004:spec.MEMORY.VECTOR_DATABASE": (
            "It requires database_provider, database_url, table_name, embedding_model and "
            "vector_dimension."
        ),
        "004:spec.MEMORY.CONVERSATION_BUFFER": "It requires nothing.",
        "004:spec.MEMORY.KEY_VALUE_STORE": "It requires storage_backend.",
        "004:hil.ports": "Every HIL node has the outputs confirmed, rejected, unrelated, timeout.",
        # Endpoints
        "004:GET /api/v1/mcp/tools": "It lists the tools, in JSON-RPC.",
        "004:POST /api/v1/mcp/invoke": "It calls a tool, in JSON-RPC.",
        "004:GET /api/v1/mcp/tools/{tool_name}": "It describes one tool.",
        "004:GET /api/v1/mcp/health": "It tells the state of the service.",
        "004:GET /api/v1/mcp/tools/internal": "It lists the tools in a plain answer.",
        "004:POST /api/v1/mcp/invoke/internal": "It calls a tool in a plain answer.",
        "004:GET /api/v1/public/health": "It answers a probe without a key.",
        # Answers
        "004:response.jsonrpc": "External answers are {jsonrpc: 2.0, id, result}.",
        "004:response.jsonrpc.error": "An internal error has the code -32603.",
        "004:response.tools": "A listed tool has name, description, parameters, category, tags.",
        "004:response.invoke.content": "content holds a text block.",
        "004:response.invoke.isError": "isError says whether the tool failed.",
        "004:response.invoke.structuredContent": "structuredContent holds the tool's data.",
        "004:response.invoke._tool_name": "_tool_name names the tool.",
        "004:response.invoke._execution_time_ms": "_execution_time_ms is the time taken.",
        "004:response.invoke._request_id": "_request_id names the request.",
        "004:response.invoke.failure": "A failed call says why in content and has no data.",
        "004:response.tool": (
            "One tool has name, description, version, available, category, workflow_guidance, "
            "usage_examples, processing_time_ms, request_id."
        ),
        "004:response.tool.workflow_guidance": "workflow_guidance warns of HIL, AI_AGENT, IF.",
        "004:response.health": (
            "Health has healthy, version, available_tools, timestamp, error, request_id, "
            "processing_time_ms."
        ),
        # Access
        "004:access.api-key": "External endpoints need an API key, as X-API-Key.",
        "004:access.tools:read": "Listing and describing tools needs tools:read.",
        "004:access.tools:execute": "Calling a tool needs tools:execute.",
        "004:access.health:check": "Health needs health:check.",
        "004:access.internal": "Internal endpoints are out of reach from outside.",
        "004:access.rate-limit": "Each key has its own rate limit.",
        "004:security.no-secrets-in-specs": "No specification holds sensitive data.",
        "004:security.no-user-data": "No user data is stored or logged.",
        "004:security.no-pii-in-errors": "No error message reports a person.",
        "004:log.timing": "A request is logged with its client, tool and time taken.",
        "004:log.errors": "A failure is logged with its context.",
        "004:stateless": "No answer depends on an earlier request.",
        # Figures
        "004:performance.list": "Listing tools takes less than 10 ms.",
        "004:performance.one": "One node's details take less than 5 ms.",
        "004:performance.ten": "Ten nodes' details take less than 30 ms.",
        "004:performance.health": "Health takes less than 2 ms.",
        "004:performance.memory": "The registry takes about 5 MB of memory.",
        # MCP
        "004:mcp.tools": "MCP clients list and call the tools by the protocol.",
    },
    "Workflows": {
        "004:hil.anti-pattern": "IF or AI_AGENT after a HIL node is pointed out.",
    },
    # The seed describes its nodes; catalog.md has each of them run.
    "Engine": {
        "004:run.TRIGGER.MANUAL": "A person starts a run by it.",
        "004:run.TRIGGER.WEBHOOK": "A request to its path starts a run.",
        "004:run.TRIGGER.CRON": "Its schedule starts a run.",
        "004:run.TRIGGER.GITHUB": "An event of a repository starts a run.",
        "004:run.TRIGGER.SLACK": "An event of a workspace starts a run.",
        "004:run.TRIGGER.EMAIL": "A mail starts a run.",
        "004:run.ACTION.HTTP_REQUEST": "It sends a request and gives the answer.",
        "004:run.ACTION.DATA_TRANSFORMATION": "It transforms data by each of its operations.",
        "004:run.FLOW.IF": "It sends data on by a condition.",
        "004:run.FLOW.LOOP": "It repeats by range, by item or by condition.",
        "004:run.FLOW.MERGE": "It joins branches by its strategy.",
        "004:run.FLOW.FILTER": "It keeps, drops or parts items by conditions.",
        "004:run.FLOW.SORT": "It orders items by a field.",
        "004:run.FLOW.WAIT": "It waits for each of its kinds of event.",
        "004:run.FLOW.DELAY": "It waits, then passes data on.",
        "004:run.MEMORY.VECTOR_DATABASE": "It stores items and finds the nearest.",
        "004:run.MEMORY.CONVERSATION_BUFFER": "It keeps the last messages.",
        "004:run.MEMORY.KEY_VALUE_STORE": "It keeps values by key.",
    },
    "Models": {
        "004:run.AI_AGENT.OPENAI_CHATGPT": "It answers through OpenAI.",
        "004:run.AI_AGENT.ANTHROPIC_CLAUDE": "It answers through Anthropic.",
        "004:run.AI_AGENT.GOOGLE_GEMINI": "It answers through Google.",
        "004:run.EXTERNAL_ACTION.SLACK": "It does each of its actions at Slack.",
        "004:run.EXTERNAL_ACTION.GITHUB": "It does each of its actions at GitHub.",
        "004:run.EXTERNAL_ACTION.NOTION": "It does each of its actions at Notion.",
        "004:run.EXTERNAL_ACTION.GOOGLE_CALENDAR": (
            "It does each of its actions at Google Calendar."
        ),
        "004:run.EXTERNAL_ACTION.FIRECRAWL": "It does each of its actions at Firecrawl.",
        "004:run.EXTERNAL_ACTION.DISCORD_ACTION": "It does each of its actions at Discord.",
        "004:run.EXTERNAL_ACTION.TELEGRAM_ACTION": "It does each of its actions at Telegram.",
        "004:run.HUMAN_IN_THE_LOOP.SLACK_INTERACTION": (
            "It asks a person by Slack and takes one of its four outputs."
        ),
        "004:run.HUMAN_IN_THE_LOOP.GMAIL_INTERACTION": (
            "It asks a person by Gmail and takes one of its four outputs."
        ),
        "004:run.HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION": (
            "It asks a person by Outlook and takes one of its four outputs."
        ),
        "004:run.HUMAN_IN_THE_LOOP.DISCORD_INTERACTION": (
            "It asks a person by Discord and takes one of its four outputs."
        ),
        "004:run.HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION": (
            "It asks a person by Telegram and takes one of its four outputs."
        ),
        "004:run.HUMAN_IN_THE_LOOP.MANUAL_REVIEW": (
            "It asks reviewers and takes one of its four outputs."
        ),
        "004:run.TOOL.NOTION_MCP_TOOL": "It calls a tool of a Notion MCP server.",
        "004:run.TOOL.GOOGLE_CALENDAR_MCP_TOOL": "It calls a tool of a Google Calendar MCP server.",
        "004:run.TOOL.SLACK_MCP_TOOL": "It calls a tool of a Slack MCP server.",
        "004:run.TOOL.FIRECRAWL_MCP_TOOL": "It calls a tool of a Firecrawl MCP server.",
        "004:run.TOOL.DISCORD_MCP_TOOL": "It calls a tool of a Discord MCP server.",
        "004:hil.analysis": "A HIL node classifies the reply itself.",
        "004:attached-nodes.run": "An AI agent uses the TOOL and MEMORY nodes attached to it.",
    },
}

SETTLED: dict[str, str] = {
    "004:tool.get_node_types.failure": "Issue Catalog: a typed error, never an empty dict.",
    "004:tool.get_node_details.correction": (
        "catalog.md: also case, spaces, prefixes, close spellings, swapped type and subtype."
    ),
    "004:NodeDetails.sample": "catalog.md: newer field names are given beside the seed's.",
    "004:NodeDetails.configurations": "catalog.md: model names in options are no closed list.",
    "004:future.semantic-search": (
        "Issue Catalog: offline, and only if it pays in measured quality."
    ),
    "004:future.caching": "In process; no Redis.",
    "004:registry.count": (
        "catalog.md: the seed lists 39, each of them here; 60 and more by the end."
    ),
    "004:access.internal": (
        "security.md: a loopback peer and a service token, not no authentication; "
        "off on any other bind."
    ),
    "004:GET /api/v1/mcp/tools/internal": "security.md: with a service token.",
    "004:POST /api/v1/mcp/invoke/internal": "security.md: with a service token.",
    "004:GET /api/v1/public/health": "security.md: `/health`, the one endpoint without a token.",
    "004:access.api-key": "Issue Catalog: also as a bearer token.",
    "004:log.timing": "Structured logs without emoji.",
    "004:performance.list": "Issue Catalog: measured as time in the handler.",
    "004:performance.one": "Issue Catalog: measured as time in the handler.",
    "004:performance.ten": "Issue Catalog: measured as time in the handler.",
    "004:performance.health": "Issue Catalog: measured as time in the handler.",
}

MESSAGES: dict[str, str] = {
    "004:tool.get_node_details.correction": (
        "Auto-corrected: 'ACTION_NODE' → 'ACTION'. "
        "Please use correct format without '_NODE' suffix."
    ),
    "004:response.invoke.content": "Tool 'get_node_details' executed successfully",
    "004:response.invoke.failure": "Error: Tool execution failed: {reason}",
}

INTERNAL: dict[str, str] = {
    "004:future.caching": "that an answer was made once shows in its cost alone",
    "004:performance.memory": "the memory of one part of the process shows in no answer",
}
