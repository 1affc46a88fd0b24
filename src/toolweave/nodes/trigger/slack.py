"""TRIGGER.SLACK: start when something happens in a Slack workspace."""

from toolweave.catalog.spec import Example, Field, NodeSpec

EVENTS = (
    "message",
    "app_mention",
    "reaction_added",
    "reaction_removed",
    "channel_created",
    "channel_deleted",
    "member_joined_channel",
    "member_left_channel",
    "user_change",
    "team_join",
    "file_shared",
)


class Slack:
    """Starts a run for each event of a workspace that passes the filters."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="SLACK",
        summary="Start the workflow on events of a Slack workspace, such as messages.",
        effect="keyed",
        configurations=(
            Field(
                "workspace_id",
                "string",
                "Id of the workspace: T024BE7LD.",
                required=True,
                pattern=r"^[TE][A-Z0-9]+$",
            ),
            Field(
                "events",
                "array",
                "Events that start a run, by the names of Slack's Events API.",
                ["message", "app_mention"],
                required=True,
                options=EVENTS,
                items="string",
            ),
            Field(
                "channels",
                "array",
                "Channels that count, by name or id: [support, C024BE91L]; empty means all.",
                [],
                items="string",
            ),
            Field(
                "keywords",
                "array",
                "The text must hold one of these, in any case: [outage, urgent]; empty means any.",
                [],
                items="string",
            ),
            Field(
                "bot_token",
                "string",
                "Bot token that begins with xoxb-, as a vault reference.",
                required=True,
                sensitive=True,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When the event arrived: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("event_type", "string", "Which event it was.", options=EVENTS),
            Field("channel_id", "string", "Id of the channel; empty when there is none."),
            Field("channel_name", "string", "Name of the channel without #."),
            Field("user_id", "string", "Id of who caused it: U024BE7LH."),
            Field("user_name", "string", "Name of who caused it."),
            Field("message_text", "string", "Text of the message; empty for other events."),
            Field("thread_ts", "string", "Thread to reply in: 1722441600.000200; or empty."),
            Field("trigger_message", "string", "One line that says what started the run."),
            Field("slack_payload", "object", "Slack's whole event."),
        ),
        input_ports=(),
        tags=("trigger", "slack", "chat"),
        keywords=(
            *("slack", "message", "mention", "reaction", "emoji", "channel"),
            *("chat", "bot", "keyword", "member", "file"),
        ),
        examples=(
            Example(
                "Bot is mentioned",
                "Somebody calls the bot in one of two channels.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["app_mention"],
                    "channels": ["general", "support"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Words of alarm",
                "Messages about an outage in the alert channel.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["message"],
                    "channels": ["alerts"],
                    "keywords": ["outage", "urgent", "down"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Approval by reaction",
                "A reaction in the approvals channel; the payload says which emoji.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["reaction_added"],
                    "channels": ["approvals"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Welcome newcomers",
                "Somebody joins the workspace.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["team_join"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
        ),
    )


node = Slack()
