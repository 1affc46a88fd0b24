"""EXTERNAL_ACTION.SLACK: post and manage things in a Slack workspace."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.json_text import JsonObject
from toolweave.nodes.services._client import calling, waiting
from toolweave.nodes.services._operation import effect_in
from toolweave.nodes.services.slack.api import (
    ACTIONS,
    BOT_TOKEN,
    SLACK,
    USE_OAUTH,
)
from toolweave.nodes.services.slack.operations import perform


class SlackAction:
    """Calls one method of the Slack Web API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="SLACK",
        summary="Post messages and files to Slack, and manage its channels.",
        effect="once",
        configurations=(
            Field(
                "action_type",
                "string",
                "What to do in Slack, e.g. send_message.",
                "send_message",
                required=True,
                options=tuple(ACTIONS),
            ),
            Field(
                "channel",
                "string",
                "Where to act: #general, @ada, or an id such as C024BE91L; "
                "for create_channel the new channel's name.",
                required=True,
            ),
            BOT_TOKEN,
            USE_OAUTH,
            Field(
                "message_format",
                "string",
                "How the message is read: plain text, Slack's mrkdwn, or Block Kit blocks.",
                "text",
                options=("text", "mrkdwn", "blocks"),
            ),
            Field(
                "thread_ts",
                "string",
                "Timestamp of the message to reply under, update or delete: 1722441600.000200.",
            ),
            Field("unfurl_links", "boolean", "Show previews of linked pages.", True),
            Field("unfurl_media", "boolean", "Show previews of linked pictures and videos.", True),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=tuple(ACTIONS),
            ),
            Field(
                "message",
                "string",
                "Text to send; for set_channel_topic the topic, for send_file the comment.",
                multiline=True,
            ),
            Field(
                "blocks",
                "array",
                'Block Kit: [{"type": "section", "text": {"type": "mrkdwn", "text": "Hi"}}].',
                items="object",
                members="[{type*: actions|call|carousel|context|context_actions|divider|file|"
                "header|image|input|markdown|plan|rich_text|section|table|task_card|video, "
                "text: any, fields: array, …}]",
            ),
            Field(
                "attachments",
                "array",
                'Files for send_file: [{"filename": "report.csv", "content": "a,b"}]; '
                "else Slack's older attachments.",
                items="object",
            ),
            Field("channel_override", "string", "Takes the place of the configured channel."),
            Field(
                "user_mentions",
                "array",
                "User ids to mention, invite or look up: [U024BE7LH].",
                items="string",
            ),
            Field(
                "metadata",
                "object",
                'Message metadata: {"event_type": "deploy", "event_payload": {"id": 7}}.',
            ),
        ),
        outputs=(
            Field("success", "boolean", "Whether Slack accepted the call."),
            Field("action", "string", "The action that was done."),
            Field("content", "string", "What was sent: the text, topic or file name."),
            Field("message_ts", "string", "Timestamp that identifies the message in its channel."),
            Field("channel_id", "string", "Id of the channel acted on."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("api_response", "object", "Slack's whole answer."),
        ),
        tags=("slack", "chat", "messaging", "notification"),
        keywords=terms(
            "slack, send, message, post, upload, channel, notify, chat, dm, thread, announce, team"
        ),
        guidance=(
            "send_message needs message or blocks. invite_users and get_user_info read "
            "user_mentions. update_message and delete_message need thread_ts. To ask and wait for "
            "an answer use HUMAN_IN_THE_LOOP.SLACK_INTERACTION instead."
        ),
        examples=(
            Example(
                "Announce a release",
                "Announces a release in a channel.",
                {
                    "action_type": "send_message",
                    "channel": "#releases",
                    "bot_token": "${vault:slack-bot-token}",
                    "message_format": "mrkdwn",
                },
                {"message": "*Toolweave 1.4* is out. Notes: <https://example.com/notes|read>"},
            ),
            Example(
                "Alert with fields",
                "Posts a formatted alert and mentions who is on call.",
                {
                    "action_type": "send_message",
                    "channel": "C024BE91L",
                    "bot_token": "${vault:slack-bot-token}",
                    "message_format": "blocks",
                    "unfurl_links": False,
                },
                {
                    "message": "Disk almost full on db-2",
                    "blocks": [
                        {
                            "type": "header",
                            "text": {"type": "plain_text", "text": "Disk almost full"},
                        },
                        {
                            "type": "section",
                            "fields": [
                                {"type": "mrkdwn", "text": "*Host*\ndb-2"},
                                {"type": "mrkdwn", "text": "*Used*\n93 %"},
                            ],
                        },
                    ],
                    "user_mentions": ["U024BE7LH"],
                },
            ),
            Example(
                "Answer in a thread",
                "Reports the result under the message that asked for it.",
                {
                    "action_type": "send_message",
                    "channel": "#builds",
                    "bot_token": "${vault:slack-bot-token}",
                    "thread_ts": "1722441600.000200",
                },
                {"message": "Build 512 passed in 3 min 40 s."},
            ),
            Example(
                "Open an incident channel",
                "Creates the channel an incident is handled in.",
                {
                    "action_type": "create_channel",
                    "channel": "inc-0042-checkout",
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """Asking may be repeated, and what is the same when done twice."""
        return effect_in(ACTIONS, config)

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the action."""
        given = context.given
        oauth = given.flag("use_oauth")
        slack = await calling(context, SLACK, given.text("bot_token"), prefers_oauth=oauth)
        return await waiting(context, slack, lambda: perform(context, slack))


node = SlackAction()
