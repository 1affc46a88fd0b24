"""EXTERNAL_ACTION.DISCORD_ACTION: post, moderate and manage in a Discord server."""

from toolweave.catalog.spec import Example, Field, NodeSpec

ACTIONS = (
    "send_message",
    "send_file",
    "create_channel",
    "delete_channel",
    "manage_roles",
    "kick_member",
    "ban_member",
    "create_invite",
    "send_dm",
    "react_to_message",
    "pin_message",
    "create_thread",
    "manage_permissions",
    "send_webhook",
)


class DiscordAction:
    """Calls one operation of the Discord API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="DISCORD_ACTION",
        summary="Send messages and files to Discord, and manage its channels, roles and members.",
        effect="once",
        configurations=(
            Field(
                "action_type",
                "string",
                "What to do in Discord, e.g. send_message.",
                "send_message",
                required=True,
                options=ACTIONS,
            ),
            Field(
                "server_id",
                "string",
                "Id of the server (guild): 17 to 20 digits.",
                required=True,
            ),
            Field("channel_id", "string", "Id of the channel to act in: 17 to 20 digits."),
            Field(
                "message_content",
                "string",
                "Text in Discord's Markdown, up to 2000 characters; may hold {{ data.title }}.",
                multiline=True,
            ),
            Field(
                "embed_config",
                "object",
                'Embed: {"title": "Down", "description": "db-2", "color": 15158332, "fields": []}.',
            ),
            Field(
                "file_config",
                "object",
                'File to send: {"file_path": "out/report.pdf", "filename": "report.pdf", '
                '"description": "May"}.',
            ),
            Field(
                "target_user_id", "string", "Id of the member to message, kick, ban or give a role."
            ),
            Field(
                "role_config",
                "object",
                'Role change: {"role_id": "41771983423143936", "action": "add", "reason": "New"}.',
            ),
            Field(
                "channel_config",
                "object",
                "New channel or rights: name, type (text, voice, category), category_id, topic, "
                "permissions.",
            ),
            Field(
                "moderation_config",
                "object",
                "For kick and ban: reason, delete_message_days (0-7), send_dm, dm_message.",
            ),
            Field(
                "reaction_emoji", "string", "Emoji to react with, or name:id of a custom one.", "👍"
            ),
            Field(
                "message_id", "string", "Id of the message to react to, pin or start a thread from."
            ),
            Field(
                "thread_config",
                "object",
                "New thread: name, auto_archive_duration in minutes (60, 1440, 4320, 10080), type.",
                {"auto_archive_duration": 1440, "type": "public"},
            ),
            Field(
                "webhook_config",
                "object",
                "For send_webhook: webhook_url (secret: a vault reference), username, avatar_url.",
                sensitive=True,
            ),
            Field(
                "retry_config",
                "object",
                "Tries after a failure: max_retries, retry_delay in seconds, exponential_backoff.",
                {"max_retries": 3, "retry_delay": 1, "exponential_backoff": True},
            ),
            Field(
                "rate_limit_handling",
                "boolean",
                "Wait and go on when Discord limits the rate.",
                True,
            ),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=ACTIONS[:10],
            ),
            Field(
                "data",
                "object",
                'Values for templates, and any configuration to override: {"channel_id": "4177…"}.',
            ),
            Field("context", "object", "Further values for templates: {{ context.team }}."),
            Field("variables", "object", "Further values for templates: {{ variables.person }}."),
        ),
        outputs=(
            Field("success", "boolean", "Whether Discord accepted the call."),
            Field("discord_response", "object", "Discord's whole answer."),
            Field("message_id", "string", "Id of the message sent or acted on."),
            Field("channel_id", "string", "Id of the channel acted in, or made."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field(
                "rate_limit_info", "object", "Calls left in this bucket: limit, remaining, reset."
            ),
            Field("execution_metadata", "object", "The action done, time taken and attempts."),
        ),
        tags=("discord", "chat", "community", "moderation"),
        keywords=(
            "discord",
            "message",
            "server",
            "guild",
            "channel",
            "embed",
            "role",
            "ban",
            "moderate",
            "bot",
            "community",
        ),
        guidance=(
            "The bot token is not a configuration: it is kept in the vault. send_message needs "
            "channel_id and message_content or embed_config; send_dm, kick_member and ban_member "
            "need target_user_id. To ask and wait use HUMAN_IN_THE_LOOP.DISCORD_INTERACTION."
        ),
        examples=(
            Example(
                "Post an alert",
                "Sends an embed with two fields.",
                {
                    "action_type": "send_message",
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "embed_config": {
                        "title": "{{ data.service }} is down",
                        "color": 15158332,
                        "fields": [
                            {"name": "Since", "value": "{{ data.since }}", "inline": True},
                            {"name": "On call", "value": "Ada", "inline": True},
                        ],
                    },
                },
                {"data": {"service": "checkout", "since": "14:02 UTC"}},
            ),
            Example(
                "Give a role",
                "Adds a role to a member who qualified.",
                {
                    "action_type": "manage_roles",
                    "server_id": "81384788765712384",
                    "target_user_id": "80351110224678912",
                    "role_config": {
                        "role_id": "41771983423143936",
                        "action": "add",
                        "reason": "Finished the course",
                    },
                },
            ),
            Example(
                "Open a channel",
                "Creates a text channel in a category.",
                {
                    "action_type": "create_channel",
                    "server_id": "81384788765712384",
                    "channel_config": {
                        "name": "release-2-3",
                        "type": "text",
                        "category_id": "399942396007890945",
                        "topic": "Everything about release 2.3",
                    },
                },
            ),
            Example(
                "Send a report",
                "Uploads a file with a line of text.",
                {
                    "action_type": "send_file",
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "message_content": "Sales of {{ data.month }}",
                    "file_config": {
                        "file_path": "out/sales.csv",
                        "filename": "sales-2026-02.csv",
                        "description": "Sales by day",
                    },
                },
                {"data": {"month": "February"}},
            ),
            Example(
                "Write through a webhook",
                "Posts without a bot, by a webhook's secret address.",
                {
                    "action_type": "send_webhook",
                    "server_id": "81384788765712384",
                    "message_content": "Deployed to production.",
                    "webhook_config": {"webhook_url": "${vault:discord-deploy-webhook}"},
                },
            ),
        ),
    )


node = DiscordAction()
