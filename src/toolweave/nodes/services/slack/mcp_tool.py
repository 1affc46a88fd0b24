"""TOOL.SLACK_MCP_TOOL: a Slack MCP server, for messages, channels and people."""

from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.tool._call import GUIDANCE, INPUTS, OUTPUTS, SERVER, available_tools
from toolweave.nodes.tool._mcp_tool import BoundTool, McpBinding

TOOLS = terms(
    "slack_send_message, slack_list_channels, slack_get_user_info, slack_create_channel, "
    "slack_invite_user, slack_get_channel_history, slack_add_reaction, slack_remove_reaction, "
    "slack_upload_file"
)


class SlackMcpTool(BoundTool):
    """Calls a tool of the registered Slack MCP server."""

    binding = McpBinding(
        "slack",
        defaults={
            "default_channel": ("channel", "channel_id"),
            "workspace_id": ("workspace_id", "team_id"),
            "enable_threading": ("enable_threading",),
            "auto_mention_users": ("auto_mention_users", "link_names"),
        },
        caps={"message_limit": ("limit", "message_limit", "count")},
        found={
            "channel_id": ("channel_id", "channel"),
            "message_ts": ("message_ts", "ts"),
            "user_id": ("user_id", "user"),
        },
    )
    spec = NodeSpec(
        type="TOOL",
        subtype="SLACK_MCP_TOOL",
        summary="Let an agent write to Slack and look around in it through an MCP server.",
        effect="once",
        configurations=(
            SERVER,
            Field(
                "access_token",
                "string",
                "Bot token, xoxb-…, as a vault reference; a registered server uses its own.",
                required=True,
                sensitive=True,
            ),
            Field("workspace_id", "string", "Id of the workspace: T024BE7LD."),
            available_tools(TOOLS, TOOLS[:3]),
            Field("default_channel", "string", "Channel used when a call names none: #general."),
            Field(
                "use_oauth",
                "boolean",
                "Use the workspace's OAuth connection; a registered server uses its own sign-in.",
                True,
            ),
            Field(
                "message_limit", "integer", "Most messages per call.", 100, minimum=1, maximum=1000
            ),
            Field(
                "enable_threading", "boolean", "Answer in the thread of the message asked.", True
            ),
            Field("auto_mention_users", "boolean", "Turn @name in texts into mentions.", False),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field("channel_id", "string", "Channel the call worked in."),
            Field("message_ts", "string", "Timestamp of the message sent or found."),
            Field("user_id", "string", "User the call was about."),
        ),
        tags=("tool", "mcp", "slack", "chat"),
        keywords=terms("slack, mcp, tool, message, channel, history, reaction, user, chat"),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Report to a channel",
                "Gives an agent one tool and a channel.",
                {
                    "mcp_server_url": "https://mcp.example.com/slack",
                    "access_token": "${vault:slack-bot-token}",
                    "available_tools": ["slack_send_message"],
                    "default_channel": "#deployments",
                },
                {
                    "tool_name": "slack_send_message",
                    "function_args": {"text": "Version 2.3.0 is live."},
                },
            ),
            Example(
                "Read what was said",
                "Fetches the last messages of a channel.",
                {
                    "mcp_server_url": "https://mcp.example.com/slack",
                    "access_token": "${vault:slack-bot-token}",
                    "workspace_id": "T024BE7LD",
                    "available_tools": ["slack_list_channels", "slack_get_channel_history"],
                    "message_limit": 30,
                },
                {
                    "tool_name": "slack_get_channel_history",
                    "function_args": {"channel": "C024BE91L", "limit": 30},
                },
            ),
            Example(
                "Look up a colleague",
                "Gives name and time zone of a user.",
                {
                    "mcp_server_url": "https://mcp.example.com/slack",
                    "access_token": "${vault:slack-bot-token}",
                },
                {"tool_name": "slack_get_user_info", "function_args": {"user": "U024BE7LH"}},
            ),
        ),
    )


node = SlackMcpTool()
