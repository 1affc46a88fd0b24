"""HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION: ask by mail from an Outlook account and wait."""

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


class OutlookInteraction:
    """Mails a question through Microsoft Graph and leaves by the port its reply means."""

    spec = NodeSpec(
        type="HUMAN_IN_THE_LOOP",
        subtype="OUTLOOK_INTERACTION",
        summary="Ask people by mail from Outlook, wait for a reply and go on by what it means.",
        effect="once",
        configurations=(
            Field(
                "outlook_credentials",
                "object",
                "Microsoft Graph access as vault references: tenant_id, client_id, client_secret.",
                required=True,
                sensitive=True,
            ),
            Field(
                "sender_email",
                "string",
                "Outlook address the question comes from: bot@example.com.",
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
                "Subject line: Approve change {{ content.change_id }}.",
                required=True,
            ),
            Field(
                "email_template",
                "string",
                "Text of the mail; {{ content.system }} stands for a part of what goes in.",
                required=True,
                multiline=True,
            ),
            response_timeout(default=86_400, minimum=300),
            ANALYSIS_MODEL,
            analysis_prompt("response_analysis_prompt"),
            Field(
                "include_attachments", "boolean", "Attach the files in content.attachments.", False
            ),
            Field("use_rich_formatting", "boolean", "Send HTML made from the Markdown text.", True),
            Field("auto_reply_enabled", "boolean", "Answer the reply with a confirmation.", True),
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
            ),
            confirmations("Text of that confirmation"),
        ),
        inputs=INPUTS,
        outputs=OUTPUTS,
        output_ports=PORTS,
        tags=("human", "approval", "email", "outlook", "microsoft"),
        keywords=terms(
            "approve, approval, ask, confirm, human, mail, email, outlook, office 365, exchange, "
            "reply"
        ),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Approve a policy",
                "Asks with high importance and a receipt.",
                {
                    "outlook_credentials": {
                        "tenant_id": "${vault:outlook-tenant-id}",
                        "client_id": "${vault:outlook-client-id}",
                        "client_secret": "${vault:outlook-client-secret}",
                    },
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
                    "outlook_credentials": {
                        "tenant_id": "${vault:outlook-tenant-id}",
                        "client_id": "${vault:outlook-client-id}",
                        "client_secret": "${vault:outlook-client-secret}",
                    },
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

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What somebody replied, by the port of what it means. Raises `EMAIL_CONFIG_INVALID`."""
        given = context.given
        account = Account(
            "outlook", given.text("sender_email"), given.record("outlook_credentials")
        )
        is_rich = given.flag("use_rich_formatting")
        return await ask(context, approving_by_mail(given, account, is_rich=is_rich))


node = OutlookInteraction()
