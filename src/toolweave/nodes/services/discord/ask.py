"""HUMAN_IN_THE_LOOP.DISCORD_INTERACTION: ask in a Discord channel and wait for the answer."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, terms
from toolweave.nodes.human._approval import ApprovalNode, approval_spec, approving
from toolweave.nodes.human._question import QuestionNode
from toolweave.nodes.human._reply import ANALYSIS_MODEL, GUIDANCE, response_timeout
from toolweave.nodes.services.discord.api import SERVER_ID
from toolweave.nodes.services.discord.messages import DiscordMessages


def _question(given: NodeInput) -> QuestionNode:
    messages = DiscordMessages(
        given.text("server_id"), given.text("channel_id"), given.text("user_mention")
    )
    return approving(given, "discord", messages, prompt=None)


node = ApprovalNode(
    approval_spec(
        "DISCORD_INTERACTION",
        "Ask in a Discord channel, wait for the reply and continue by its meaning.",
        (
            SERVER_ID,
            Field(
                "channel_id",
                "string",
                "Id of the channel to ask in: 17 to 20 digits.",
                required=True,
            ),
            Field(
                "message_template",
                "string",
                "The question in Discord's Markdown; {{ content.event }} stands for a part of what "
                "goes in.",
                required=True,
                multiline=True,
            ),
            response_timeout(default=3600, minimum=60),
            ANALYSIS_MODEL,
        ),
        tags=("discord", "chat"),
        keywords=terms("discord, community, vote, reaction, moderator"),
        guidance=f"{GUIDANCE} The bot token is not a configuration: it is kept in the vault.",
        examples=(
            Example(
                "Approve a tournament",
                "Asks the moderators; a tick or a cross is answer enough.",
                {
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "message_template": (
                        "**{{ content.event }}** on {{ content.day }}, {{ content.seats }} seats. "
                        "Approve with ✅, decline with ❌."
                    ),
                    "response_timeout": 7200,
                },
                {
                    "content": {"event": "Spring cup", "day": "14 March", "seats": 64},
                    "user_mention": "@Moderators",
                },
                port="confirmed",
            ),
            Example(
                "Change a rule",
                "Leaves a day for someone to object.",
                {
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "message_template": "New rule: {{ content.rule }} Does it go into force?",
                    "response_timeout": 86_400,
                    "ai_analysis_model": "gpt-5-nano",
                },
                {"content": {"rule": "No links to files in #general."}},
                port="rejected",
            ),
            Example(
                "Review a bot feature",
                "Takes the timeout port when no developer answers in an hour.",
                {
                    "server_id": "81384788765712384",
                    "channel_id": "399942396007890945",
                    "message_template": "Build {{ content.feature }} for the bot?",
                },
                {"content": {"feature": "daily backup"}, "user_mention": "@Developers"},
                port="timeout",
            ),
        ),
    ),
    _question,
)
