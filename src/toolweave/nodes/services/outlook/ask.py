"""HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION: ask by mail from an Outlook account and wait."""

from toolweave.catalog.spec import Example, Field, terms
from toolweave.json_text import JsonObject
from toolweave.nodes.services.mail.ask import mail_approval

_CREDENTIALS: JsonObject = {
    "tenant_id": "${vault:outlook-tenant-id}",
    "client_id": "${vault:outlook-client-id}",
    "client_secret": "${vault:outlook-client-secret}",
}

node = mail_approval(
    "outlook",
    "Outlook",
    credentials="Microsoft Graph access as vault references: tenant_id, client_id, client_secret.",
    subject="Subject line: Approve change {{ content.change_id }}.",
    part="{{ content.system }}",
    formatting=(
        Field("use_rich_formatting", "boolean", "Send HTML made from the Markdown text.", True),
    ),
    more=(
        Field(
            "priority_level",
            "string",
            "Importance the mail is marked with.",
            "normal",
            options=("low", "normal", "high"),
        ),
        Field("delivery_receipt", "boolean", "Ask for a receipt on delivery.", False),
        Field("read_receipt", "boolean", "Ask for a receipt when it is read.", False),
        Field(
            "folder_monitoring",
            "object",
            "Where replies are sought: monitor_inbox, monitor_specific_folder, folder_name.",
            {"monitor_inbox": True, "monitor_specific_folder": False, "folder_name": ""},
            members="{monitor_inbox: boolean, monitor_specific_folder: boolean, folder_name}",
        ),
    ),
    tags=("outlook", "microsoft"),
    keywords=terms("outlook, office 365, exchange, reply"),
    examples=(
        Example(
            "Approve a policy",
            "Asks with high importance and a receipt.",
            {
                "outlook_credentials": _CREDENTIALS,
                "sender_email": "people@example.com",
                "recipient_emails": ["head-of-people@example.com"],
                "email_subject": "New policy: {{ content.title }}",
                "email_template": "Shall **{{ content.title }}** hold from {{ content.day }}?",
                "priority_level": "high",
                "delivery_receipt": True,
            },
            {"content": {"title": "Remote work", "day": "1 May"}},
            port="confirmed",
        ),
        Example(
            "Check a supplier's contract",
            "Looks for replies in a folder of its own.",
            {
                "outlook_credentials": _CREDENTIALS,
                "sender_email": "contracts@example.com",
                "recipient_emails": ["legal@example.com", "purchasing@example.com"],
                "email_subject": "Contract with {{ content.supplier }}",
                "email_template": "Please check the attached contract before we sign.",
                "response_timeout": 259_200,
                "include_attachments": True,
                "folder_monitoring": {
                    "monitor_inbox": False,
                    "monitor_specific_folder": True,
                    "folder_name": "Contracts",
                },
            },
            {
                "content": {
                    "supplier": "Northwind",
                    "attachments": [{"filename": "northwind.pdf", "path": "in/northwind.pdf"}],
                }
            },
            port="rejected",
        ),
        Example(
            "Allow a firewall change",
            "Goes on by the timeout port after twelve hours.",
            {
                "outlook_credentials": {"access_token": "${vault:outlook-access-token}"},
                "sender_email": "changes@example.com",
                "recipient_emails": ["security@example.com"],
                "email_subject": "Change {{ content.id }}",
                "email_template": "Open port {{ content.port }} on {{ content.host }}?",
                "response_timeout": 43_200,
                "use_rich_formatting": False,
                "read_receipt": True,
            },
            {"content": {"id": "CHG-77", "port": 8443, "host": "edge-1"}},
            port="timeout",
        ),
    ),
)
