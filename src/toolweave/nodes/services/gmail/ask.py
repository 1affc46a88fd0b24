"""HUMAN_IN_THE_LOOP.GMAIL_INTERACTION: ask by mail from a Gmail account and wait for the answer."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.human._question import ask
from toolweave.nodes.human._reply import (
    ANALYSIS_MODEL,
    GUIDANCE,
    INPUTS,
    OUTPUTS,
    PORTS,
    analysis_prompt,
    confirmations,
    response_timeout,
)
from toolweave.nodes.services.mail.account import Account
from toolweave.nodes.services.mail.messages import approving_by_mail


class GmailInteraction:
    """Mails a question through Gmail and leaves by the port its reply means."""

    spec = NodeSpec(
        type="HUMAN_IN_THE_LOOP",
        subtype="GMAIL_INTERACTION",
        summary="Ask people by mail from Gmail, wait for a reply and go on by what it means.",
        effect="once",
        configurations=(
            Field(
                "gmail_credentials",
                "object",
                "OAuth access as vault references: client_id, client_secret, refresh_token.",
                required=True,
                sensitive=True,
            ),
            Field(
                "sender_email",
                "string",
                "Gmail address the question comes from: bot@example.com.",
                required=True,
            ),
            Field(
                "recipient_emails",
                "array",
                "Addresses to ask; the first clear reply counts.",
                required=True,
                items="string",
            ),
            Field(
                "email_subject",
                "string",
                "Subject line: Approve budget {{ content.project }}.",
                required=True,
            ),
            Field(
                "email_template",
                "string",
                "Text of the mail; {{ content.amount }} stands for a part of what goes in.",
                required=True,
                multiline=True,
            ),
            response_timeout(default=86_400, minimum=300),
            ANALYSIS_MODEL,
            analysis_prompt("response_analysis_prompt"),
            Field(
                "include_attachments", "boolean", "Attach the files in content.attachments.", False
            ),
            Field("auto_reply_enabled", "boolean", "Answer the reply with a confirmation.", True),
            confirmations("Text of that confirmation"),
        ),
        inputs=INPUTS,
        outputs=OUTPUTS,
        output_ports=PORTS,
        tags=("human", "approval", "email", "gmail"),
        keywords=terms(
            "approve, approval, ask, confirm, human, mail, email, gmail, reply, sign-off"
        ),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Approve a budget",
                "Asks one manager and gives a day to answer.",
                {
                    "gmail_credentials": {
                        "client_id": "${vault:gmail-client-id}",
                        "client_secret": "${vault:gmail-client-secret}",
                        "refresh_token": "${vault:gmail-refresh-token}",
                    },
                    "sender_email": "workflows@example.com",
                    "recipient_emails": ["ada@example.com"],
                    "email_subject": "Budget for {{ content.project }}",
                    "email_template": (
                        "Hello Ada,\n\n{{ content.project }} needs {{ content.amount }}. "
                        "Do you agree?\n"
                    ),
                },
                {"content": {"project": "Spring campaign", "amount": "12 000 EUR"}},
                port="confirmed",
            ),
            Example(
                "Check a contract",
                "Sends the file to two lawyers and waits two days.",
                {
                    "gmail_credentials": {
                        "client_id": "${vault:gmail-client-id}",
                        "client_secret": "${vault:gmail-client-secret}",
                        "refresh_token": "${vault:gmail-refresh-token}",
                    },
                    "sender_email": "legal-desk@example.com",
                    "recipient_emails": ["grace@example.com", "katherine@example.com"],
                    "email_subject": "Please check: {{ content.name }}",
                    "email_template": "The contract is attached. May we sign it?",
                    "response_timeout": 172_800,
                    "include_attachments": True,
                    "response_analysis_prompt": "A list of open points counts as a rejection.",
                },
                {
                    "content": {
                        "name": "Hosting contract",
                        "attachments": [{"filename": "hosting.pdf", "path": "in/hosting.pdf"}],
                    }
                },
                port="rejected",
            ),
            Example(
                "Confirm a delivery date",
                "Goes on by the timeout port when the supplier stays silent.",
                {
                    "gmail_credentials": {"access_token": "${vault:gmail-access-token}"},
                    "sender_email": "orders@example.com",
                    "recipient_emails": ["sales@supplier.example"],
                    "email_subject": "Order {{ content.order }}",
                    "email_template": "Can you deliver on {{ content.day }}?",
                    "auto_reply_enabled": False,
                },
                {"content": {"order": "A-1042", "day": "6 March"}, "user_mention": "Ms Hopper"},
                port="timeout",
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What somebody replied, by the port of what it means. Raises `EMAIL_CONFIG_INVALID`."""
        given = context.given
        account = Account("gmail", given.text("sender_email"), given.record("gmail_credentials"))
        return await ask(context, approving_by_mail(given, account))


node = GmailInteraction()
