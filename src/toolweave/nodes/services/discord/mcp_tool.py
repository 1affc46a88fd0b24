"""TOOL.DISCORD_MCP_TOOL: a Discord MCP server, for messages, members and channels."""

from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.tool._call import GUIDANCE, INPUTS, OUTPUTS, SERVER, available_tools
from toolweave.nodes.tool._mcp_tool import BoundTool, McpBinding

TOOLS = terms(
    "discord_get_server_info, discord_list_members, discord_create_text_channel, "
    "discord_send_message, discord_read_messages, discord_add_reaction, discord_create_invite, "
    "discord_manage_roles, discord_kick_member, discord_ban_member"
)


class DiscordMcpTool(BoundTool):
    """Calls a tool of the registered Discord MCP server."""

    binding = McpBinding(
        "discord",
        defaults={
            "default_server_id": ("server_id", "guild_id"),
            "default_channel_id": ("channel_id",),
            "enable_embeds": ("enable_embeds",),
            "auto_react": ("auto_react",),
        },
        caps={"message_limit": ("limit", "message_limit")},
        found={
            "server_id": ("server_id", "guild_id"),
            "channel_id": ("channel_id",),
            "message_id": ("message_id", "id"),
        },
        guards={"manage_permissions": ("permission", "role", "kick", "ban")},
    )
    spec = NodeSpec(
        type="TOOL",
        subtype="DISCORD_MCP_TOOL",
        summary="Let an agent write to a Discord server and manage it through an MCP server.",
        effect="once",
        configurations=(
            SERVER,
            Field(
                "discord_bot_token",
                "string",
                "Token of the Discord bot, as a vault reference; a registered server uses its own.",
                required=True,
                sensitive=True,
            ),
            Field(
                "default_server_id", "string", "Discord server (guild) used when a call names none."
            ),
            available_tools(TOOLS, TOOLS[:4]),
            Field("default_channel_id", "string", "Channel used when a call names none."),
            Field(
                "message_limit", "integer", "Most messages per call.", 50, minimum=1, maximum=500
            ),
            Field("enable_embeds", "boolean", "Allow embeds in messages.", True),
            Field("auto_react", "boolean", "React to messages that were handled.", False),
            Field("manage_permissions", "boolean", "Allow calls that change rights.", False),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field("server_id", "string", "Discord server the call worked in."),
            Field("channel_id", "string", "Channel the call worked in, or made."),
            Field("message_id", "string", "Message sent or found."),
        ),
        tags=("tool", "mcp", "discord", "chat"),
        keywords=terms(
            "discord, mcp, tool, message, server, guild, member, channel, moderate, role"
        ),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Welcome new members",
                "Gives an agent one tool and a channel.",
                {
                    "mcp_server_url": "https://mcp.example.com/discord",
                    "discord_bot_token": "${vault:discord-bot-token}",
                    "default_channel_id": "381870553235193857",
                    "available_tools": ["discord_send_message"],
                },
                {
                    "tool_name": "discord_send_message",
                    "function_args": {"content": "Welcome! Please read #rules first."},
                },
            ),
            Example(
                "Describe the server",
                "Reads name, size and features.",
                {
                    "mcp_server_url": "https://mcp.example.com/discord",
                    "discord_bot_token": "${vault:discord-bot-token}",
                    "available_tools": ["discord_get_server_info"],
                },
                {
                    "tool_name": "discord_get_server_info",
                    "function_args": {"server_id": "81384788765712384"},
                },
            ),
            Example(
                "Open a project channel",
                "Creates a text channel in a category.",
                {
                    "mcp_server_url": "https://mcp.example.com/discord",
                    "discord_bot_token": "${vault:discord-bot-token}",
                    "default_server_id": "81384788765712384",
                    "manage_permissions": True,
                },
                {
                    "tool_name": "discord_create_text_channel",
                    "function_args": {
                        "name": "project-atlas",
                        "category_id": "399942396007890945",
                        "topic": "All about Atlas",
                    },
                },
            ),
            Example(
                "Summarise a discussion",
                "Reads the last messages for an agent to sum up.",
                {
                    "mcp_server_url": "https://mcp.example.com/discord",
                    "discord_bot_token": "${vault:discord-bot-token}",
                    "available_tools": ["discord_read_messages"],
                    "message_limit": 200,
                },
                {
                    "tool_name": "discord_read_messages",
                    "function_args": {"channel_id": "381870553235193857", "limit": 200},
                    "call_id": "weekly-digest",
                },
            ),
        ),
    )


node = DiscordMcpTool()
