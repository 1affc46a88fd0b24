"""HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION: ask in a Telegram chat and wait for the answer."""

from dataclasses import replace

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, terms
from toolweave.nodes.human._approval import ApprovalNode, approval_spec, approving
from toolweave.nodes.human._question import QuestionNode
from toolweave.nodes.human._reply import (
    ANALYSIS_MODEL,
    analysis_prompt,
    confirmations,
    response_timeout,
)
from toolweave.nodes.services.telegram.api import BOT_TOKEN, parse_mode
from toolweave.nodes.services.telegram.messages import TelegramMessages, refusing


def _question(given: NodeInput) -> QuestionNode:
    asking = approving(given, "telegram", TelegramMessages(given), people="target_users")
    return replace(asking, refuses=refusing(given))


node = ApprovalNode(
    approval_spec(
        "TELEGRAM_INTERACTION",
        "Ask in a Telegram chat, wait for a button or reply and continue by its meaning.",
        (
            BOT_TOKEN,
            Field(
                "chat_id",
                "string",
                "Chat to ask in: a number such as -1001234567890, or @channelname.",
                required=True,
            ),
            Field(
                "target_users",
                "array",
                "User ids whose replies count; empty counts everybody's.",
                [],
                items="string",
            ),
            Field(
                "message_template",
                "string",
                "The question; {{ content.system }} stands for a part of what goes in.",
                required=True,
                multiline=True,
            ),
            response_timeout(default=3600, minimum=60),
            ANALYSIS_MODEL,
            analysis_prompt("response_analysis_prompt"),
            Field(
                "inline_keyboard",
                "array",
                "Rows of buttons below the question; callback_data is the port a button leads to.",
                [
                    [
                        {"text": "Approve", "callback_data": "confirmed"},
                        {"text": "Decline", "callback_data": "rejected"},
                    ]
                ],
                items="array",
                members="[[{text*, callback_data: confirmed|rejected|unrelated}]]",
            ),
            Field(
                "enable_reply_keyboard", "boolean", "Offer answers in place of the keyboard.", False
            ),
            Field(
                "reply_keyboard_buttons",
                "array",
                "The answers that keyboard offers.",
                ["Approve", "Decline"],
                items="string",
            ),
            Field(
                "allow_text_responses", "boolean", "Accept written replies, not only buttons.", True
            ),
            Field(
                "require_specific_response",
                "boolean",
                "Count a written reply only if one of the patterns matches it.",
                False,
            ),
            Field(
                "allowed_response_patterns",
                "array",
                "Patterns (RE2) of replies that count: [(?i)^(yes|no)].",
                [],
                items="string",
            ),
            parse_mode("How the question is formatted."),
            Field("disable_notification", "boolean", "Send without a sound.", False),
            confirmations("What the bot answers"),
        ),
        tags=("telegram", "chat"),
        keywords=terms("telegram, bot, buttons, question, reply"),
        examples=(
            Example(
                "Confirm an order",
                "Lets two people decide by buttons.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "chat_id": "-1001234567890",
                    "target_users": ["111222333", "444555666"],
                    "message_template": "Buy {{ content.quantity }} x {{ content.item }}?",
                    "response_timeout": 1800,
                    "allow_text_responses": False,
                },
                {"content": {"quantity": 20, "item": "monitor"}},
                port="confirmed",
            ),
            Example(
                "Approve maintenance",
                "Accepts only replies that begin with yes or no.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "chat_id": "@acme_operations",
                    "message_template": "Restart {{ content.system }} on {{ content.when }}?",
                    "response_timeout": 7200,
                    "require_specific_response": True,
                    "allowed_response_patterns": ["(?i)^(yes|no)\\b"],
                },
                {"content": {"system": "the database", "when": "Saturday 02:00 UTC"}},
                port="rejected",
            ),
            Example(
                "Allow an emergency failover",
                "Ten minutes, then the timeout port leads to the deputy.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "chat_id": "-1009876543210",
                    "message_template": "<b>Outage</b>: move to {{ content.region }}?",
                    "parse_mode": "HTML",
                    "response_timeout": 600,
                    "inline_keyboard": [
                        [{"text": "Move now", "callback_data": "confirmed"}],
                        [{"text": "Hold", "callback_data": "rejected"}],
                    ],
                },
                {"content": {"region": "eu-west"}, "user_mention": "@ada"},
                port="timeout",
            ),
        ),
    ),
    _question,
)
