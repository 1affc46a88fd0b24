"""HUMAN_IN_THE_LOOP.GMAIL_INTERACTION: ask by mail from a Gmail account and wait for the answer."""

from toolweave.catalog.spec import Example, terms
from toolweave.json_text import JsonObject
from toolweave.nodes.services.mail.ask import mail_approval

_CREDENTIALS: JsonObject = {
    "client_id": "${vault:gmail-client-id}",
    "client_secret": "${vault:gmail-client-secret}",
    "refresh_token": "${vault:gmail-refresh-token}",
}

node = mail_approval(
    "gmail",
    "Gmail",
    credentials="OAuth access as vault references: client_id, client_secret, refresh_token.",
    subject="Subject line: Approve budget {{ content.project }}.",
    part="{{ content.amount }}",
    tags=("gmail",),
    keywords=terms("gmail, reply, sign-off"),
    examples=(
        Example(
            "Approve a budget",
            "Asks one manager and gives a day to answer.",
            {
                "gmail_credentials": _CREDENTIALS,
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
                "gmail_credentials": _CREDENTIALS,
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
