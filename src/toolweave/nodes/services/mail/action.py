"""EXTERNAL_ACTION.EMAIL: send a mail through an SMTP server."""

from functools import partial
from hashlib import sha256
from typing import cast

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refuse_all
from toolweave.catalog.resources.mail import Security, SmtpServer
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json
from toolweave.nodes.services._attachments import attached, check_described
from toolweave.nodes.services._operation import RequestPart, invalid, missing
from toolweave.nodes.services.mail.outgoing import (
    MAX_RECIPIENTS,
    MailDraft,
    check_draft,
    check_host,
    write_mail,
)


class EmailAction:
    """Hands one mail to a server."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="EMAIL",
        summary="Send an e-mail with text, HTML and files through an SMTP server.",
        effect="once",
        configurations=(
            Field("smtp_host", "string", "The mail server: smtp.example.com.", required=True),
            Field(
                "smtp_port",
                "integer",
                "Its port: 587 for starttls, 465 for tls.",
                587,
                minimum=1,
                maximum=65535,
            ),
            Field(
                "security",
                "string",
                "How the connection is made private; none only inside your own network.",
                "starttls",
                options=("starttls", "tls", "none"),
            ),
            Field("username", "string", "Who signs in; empty where the server wants nobody to."),
            Field(
                "password",
                "string",
                "Password or OAuth token, as a vault reference.",
                sensitive=True,
            ),
            Field(
                "authentication",
                "string",
                "Sign in by password, or by the OAuth token of a stored credential.",
                "password",
                options=("password", "oauth"),
            ),
            Field(
                "from_address", "string", "Sender: ada@example.com or Ada <ada@…>.", required=True
            ),
            Field("from_name", "string", "The sender's name, as people see it."),
            Field("reply_to", "string", "Where answers go, if not to the sender."),
            Field("to", "array", "Recipients unless the input names others.", items="string"),
        ),
        inputs=(
            Field("to", "array", "Recipients: [ada@example.com].", items="string"),
            Field("cc", "array", "Who gets a copy.", items="string"),
            Field("bcc", "array", "Who gets a copy that nobody sees.", items="string"),
            Field("subject", "string", "One line that says what it is about."),
            Field("text", "string", "The mail as plain text.", multiline=True),
            Field("html", "string", "The mail as HTML; with text, both are sent.", multiline=True),
            Field(
                "attachments",
                "array",
                'Files: [{"path": "out/report.pdf"}], or filename with content or content_base64.',
                items="object",
                members="[{path, file_path, filename, content, content_base64, content_type}]",
            ),
            Field("headers", "object", 'Further headers: {"X-Ticket": "42"}.'),
            Field("in_reply_to", "string", "Message-ID of the mail that this one answers."),
        ),
        outputs=(
            Field("success", "boolean", "Whether the server took the mail."),
            Field("message_id", "string", "The mail's Message-ID."),
            Field("accepted", "array", "Addresses the server took it for.", items="string"),
            Field(
                "rejected",
                "array",
                "Addresses it refused, with the reason.",
                items="object",
                members="[{address, reason}]",
            ),
            Field("error_message", "string", "Why some were refused; empty if none was."),
            Field("execution_metadata", "object", "Server, size and attempts."),
        ),
        tags=("email", "mail", "smtp", "notification"),
        keywords=(
            *("email", "mail", "smtp", "send", "notify", "newsletter"),
            *("attachment", "message", "gmail", "outlook", "letter"),
        ),
        guidance=(
            "Needs to, subject, and text or html. Keep the password in the vault. Gmail is "
            "smtp.gmail.com and Outlook smtp.office365.com, both 587 with starttls: with "
            "authentication oauth the password is ${vault:gmail} after `toolweave services add`."
        ),
        examples=(
            Example(
                "Send a report",
                "Text with a file of the files folder.",
                {
                    "smtp_host": "smtp.example.com",
                    "username": "robot@example.com",
                    "password": "${vault:smtp-password}",
                    "from_address": "Robot <robot@example.com>",
                },
                {
                    "to": ["ada@example.com"],
                    "subject": "Sales of May",
                    "text": "The figures are attached.",
                    "attachments": [{"path": "out/sales.csv"}],
                },
            ),
            Example(
                "Alert in HTML",
                "Both forms, to a fixed address, over TLS from the start.",
                {
                    "smtp_host": "smtp.example.com",
                    "smtp_port": 465,
                    "security": "tls",
                    "username": "robot@example.com",
                    "password": "${vault:smtp-password}",
                    "from_address": "robot@example.com",
                    "to": ["on-call@example.com"],
                },
                {
                    "subject": "db-2 is almost full",
                    "text": "93 % used.",
                    "html": "<p><b>93 %</b> used.</p>",
                    "headers": {"X-Priority": "1"},
                },
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Send the mail."""
        given = context.given
        check_mail(given)
        draft = _draft(given, await _files(context))
        domain = draft.sender.rpartition("@")[2].strip("> ")
        # Made of the step's key: a mail that came twice after all can be told by it.
        message_id = f"<{sha256(context.key.encode()).hexdigest()[:32]}@{domain}>"
        data = write_mail(draft, message_id=message_id, at=context.now())
        mailer = context.resources.mailer
        server = _server(given)
        refused = await mailer.send(
            server,
            data,
            sender=draft.sender,
            recipients=draft.recipients,
            timeout_s=given.number("timeout"),
        )
        rejected: list[Json] = [{"address": one, "reason": why} for one, why in refused.items()]
        return Outcome(
            {
                "success": True,
                "message_id": message_id,
                "accepted": [one for one in draft.recipients if one not in refused],
                "rejected": rejected,
                "error_message": "; ".join(f"{one}: {why}" for one, why in refused.items()),
                "execution_metadata": {
                    "server": f"{server.host}:{server.port}",
                    "bytes": len(data),
                    "attempts": context.attempt,
                },
            }
        )


def check_mail(given: NodeInput) -> None:
    """Whether a mail can be written. Raises `SERVICE_FIELD_MISSING`, `SERVICE_FIELD_INVALID`."""
    read_each(
        (
            lambda: check_host(given.text("smtp_host"), given.value("smtp_port"), "smtp_host"),
            lambda: check_draft(_draft(given, ())),
            lambda: read_each(
                partial(check_described, one, "attachments", at)
                for at, one in enumerate(given.listing("attachments"))
                if isinstance(one, dict)
            ),
        )
    )


def _server(given: NodeInput) -> SmtpServer:
    return SmtpServer(
        given.text("smtp_host"),
        given.whole("smtp_port"),
        cast("Security", given.text("security")),
        given.text("username"),
        given.text("password"),
        given.text("authentication") == "oauth",
    )


def _draft(given: NodeInput, files: tuple[RequestPart, ...]) -> MailDraft:
    draft = MailDraft(
        sender=given.text("from_address"),
        sender_name=given.text("from_name"),
        to=_texts(given, "to"),
        cc=_texts(given, "cc"),
        bcc=_texts(given, "bcc"),
        subject=given.text("subject"),
        text=given.text("text"),
        html=given.text("html"),
        reply_to=given.text("reply_to"),
        in_reply_to=given.text("in_reply_to"),
        headers=given.record("headers"),
        attachments=files,
    )
    needed = {
        "to": draft.recipients,
        "subject": draft.subject,
        "text": draft.text or draft.html,
    }
    refuse_all(missing(name, "a mail") for name, value in needed.items() if not value)
    if len(draft.recipients) > MAX_RECIPIENTS:
        raise invalid("to", f"has more than {MAX_RECIPIENTS} recipients")
    return draft


def _texts(given: NodeInput, name: str) -> tuple[str, ...]:
    found = given.listing(name)
    if not all(isinstance(one, str) for one in found):
        raise invalid(name, "must be a list of addresses")
    return tuple(str(one) for one in found)


async def _files(context: NodeContext) -> tuple[RequestPart, ...]:
    found: list[RequestPart] = []
    for one in context.given.listing("attachments"):
        if not isinstance(one, dict):
            raise invalid("attachments", "must hold objects")
        found.append(await attached(context, one, "attachments"))
    return tuple(found)


node = EmailAction()
