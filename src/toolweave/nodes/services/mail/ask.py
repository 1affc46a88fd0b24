"""Asking for an approval by mail: what the nodes of Gmail and Outlook share."""

from collections.abc import Callable
from dataclasses import replace

from toolweave.catalog.node import NodeInput
from toolweave.catalog.node_input import read_each
from toolweave.catalog.resources.mail import Provider
from toolweave.catalog.spec import Example, Field
from toolweave.nodes.human._approval import ApprovalNode, approval_spec, approving
from toolweave.nodes.human._question import QuestionNode
from toolweave.nodes.human._reply import (
    ANALYSIS_MODEL,
    analysis_prompt,
    confirmations,
    response_timeout,
)
from toolweave.nodes.services.mail.account import Account, check_access
from toolweave.nodes.services.mail.messages import MailMessages
from toolweave.nodes.services.mail.outgoing import check_line, check_mailbox, check_people

CREDENTIALS = (
    "{username, password, client_id, client_secret, refresh_token, access_token, tenant_id, "
    "imap_host, imap_port: integer 1..65535, smtp_host, smtp_port: integer 1..65535, "
    "security: tls|starttls|none}"
)


def mail_approval(
    provider: Provider,
    title: str,
    *,
    credentials: str,
    subject: str,
    part: str,
    formatting: tuple[Field, ...] = (),
    more: tuple[Field, ...] = (),
    tags: tuple[str, ...],
    keywords: tuple[str, ...],
    examples: tuple[Example, ...],
) -> ApprovalNode:
    """Return the node that asks by mail from an account of a provider; the texts describe it."""
    access = f"{provider}_credentials"
    check_sender = _sender_check(provider, access)

    def question(given: NodeInput) -> QuestionNode:
        check_addresses(given)
        check_sender(given)
        account = Account(provider, given.text("sender_email"), given.record(access))
        if account.is_smtp:
            account.smtp()
        return approving(
            given,
            provider,
            MailMessages(account, given),
            title=given.text("email_subject"),
            text="email_template",
            people="recipient_emails",
        )

    spec = approval_spec(
        f"{provider.upper()}_INTERACTION",
        f"Ask people by mail from {title}, wait for a reply and continue by its meaning.",
        (
            Field(
                access, "object", credentials, required=True, sensitive=True, members=CREDENTIALS
            ),
            *_message_fields(title, subject, part),
            *formatting,
            Field("auto_reply_enabled", "boolean", "Answer the reply with a confirmation.", True),
            *more,
            confirmations("Text of that confirmation"),
        ),
        tags=("email", *tags),
        keywords=("mail", "email", *keywords),
        examples=examples,
    )
    return ApprovalNode(replace(spec, checks=(check_addresses, check_sender)), question)


def _sender_check(provider: Provider, access: str) -> Callable[[NodeInput], None]:
    """Whether the credentials of the sender are complete. Raises `EMAIL_CONFIG_INVALID`."""
    return lambda given: check_access(given.record(access), provider, access)


def check_addresses(given: NodeInput) -> None:
    """Whether mail can go from and to these addresses. Raises `SERVICE_FIELD_INVALID`."""
    read_each(
        (
            lambda: check_mailbox(given.text("sender_email"), "sender_email"),
            lambda: check_people(given, "recipient_emails"),
            lambda: check_line(given.text("email_subject"), "email_subject"),
        )
    )


def _message_fields(title: str, subject: str, part: str) -> tuple[Field, ...]:
    sender = f"{title} address the question comes from: bot@example.com."
    body = f"Text of the mail; {part} stands for a part of what goes in."
    return (
        Field("sender_email", "string", sender, required=True),
        Field(
            "recipient_emails",
            "array",
            "Addresses to ask; the first clear reply counts.",
            required=True,
            items="string",
        ),
        Field("email_subject", "string", subject, required=True),
        Field("email_template", "string", body, required=True, multiline=True),
        response_timeout(default=86_400, minimum=300),
        ANALYSIS_MODEL,
        analysis_prompt("response_analysis_prompt"),
        Field("include_attachments", "boolean", "Attach the files in content.attachments.", False),
    )
