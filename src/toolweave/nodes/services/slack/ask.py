"""HUMAN_IN_THE_LOOP.SLACK_INTERACTION: ask someone on Slack and wait for the answer."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, terms
from toolweave.nodes.human._approval import ApprovalNode, approval_spec, approving
from toolweave.nodes.human._question import QuestionNode
from toolweave.nodes.human._reply import ANALYSIS_MODEL, analysis_prompt
from toolweave.nodes.services.slack.api import BOT_TOKEN, USE_OAUTH
from toolweave.nodes.services.slack.messages import SlackMessages


def _question(given: NodeInput) -> QuestionNode:
    messages = SlackMessages(
        given.text("channel"),
        given.text("bot_token"),
        given.flag("use_oauth"),
        given.text("user_mention"),
        given.flag("auto_thread"),
    )
    return approving(
        given,
        "slack",
        messages,
        text="clarification_question_template",
        wait_s=given.whole("timeout_minutes") * 60.0,
        prompt="custom_analysis_prompt",
    )


node = ApprovalNode(
    approval_spec(
        "SLACK_INTERACTION",
        "Ask a person or channel on Slack, wait for the reply and continue by its meaning.",
        (
            Field(
                "channel",
                "string",
                "Whom to ask: #approvals, @ada, or an id such as C024BE91L.",
                required=True,
            ),
            BOT_TOKEN,
            USE_OAUTH,
            Field(
                "clarification_question_template",
                "string",
                "The question; {{ content }} stands for what goes in, {{ content.id }} for a part.",
                "Please check: {{ content }}\n\nReply yes to approve or no to decline.",
                required=True,
                multiline=True,
                # The other HUMAN_IN_THE_LOOP chat nodes call it so.
                aliases=("message_template",),
            ),
            Field(
                "timeout_minutes",
                "integer",
                "Minutes to wait for a reply, at most a day.",
                60,
                minimum=1,
                maximum=1440,
            ),
            Field("auto_thread", "boolean", "Take replies from the question's thread only.", True),
            ANALYSIS_MODEL,
            analysis_prompt("custom_analysis_prompt"),
        ),
        tags=("slack", "chat"),
        keywords=terms("slack, review, sign-off, question, wait for reply"),
        examples=(
            Example(
                "Approve an expense",
                "Asks the finance channel before money is spent.",
                {
                    "channel": "#approvals",
                    "bot_token": "${vault:slack-bot-token}",
                    "clarification_question_template": (
                        "{{ content.who }} wants to spend {{ content.amount }} on "
                        "{{ content.what }}. Is that fine?"
                    ),
                    "timeout_minutes": 240,
                },
                {
                    "content": {"who": "Ada", "amount": "250 EUR", "what": "two chairs"},
                    "user_mention": "@finance",
                },
                port="confirmed",
            ),
            Example(
                "Review a text",
                "Defines how the analysis reads a hesitant answer.",
                {
                    "channel": "@grace",
                    "bot_token": "${vault:slack-bot-token}",
                    "clarification_question_template": "May this go out?\n\n{{ content.text }}",
                    "custom_analysis_prompt": "A wish for changes counts as a rejection.",
                    "ai_analysis_model": "gpt-5-nano",
                },
                {"content": {"text": "We are moving to a new office in May."}},
                port="rejected",
            ),
            Example(
                "Urgent deployment",
                "Goes on by the timeout port when nobody answers in ten minutes.",
                {
                    "channel": "#on-call",
                    "bot_token": "${vault:slack-bot-token}",
                    "clarification_question_template": (
                        "Roll back {{ content.service }} to {{ content.version }}? (yes/no)"
                    ),
                    "timeout_minutes": 10,
                    "auto_thread": False,
                },
                {"content": {"service": "checkout", "version": "2.2.9"}},
                port="timeout",
            ),
        ),
    ),
    _question,
)
