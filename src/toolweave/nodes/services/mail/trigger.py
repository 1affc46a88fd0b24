"""TRIGGER.EMAIL: start when a mail comes in."""

from collections.abc import Iterator

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import refuse_all, refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.mail.account import check_access
from toolweave.nodes.services.mail.incoming import posted_mail, read_mail
from toolweave.nodes.services.mail.outgoing import check_host
from toolweave.nodes.trigger._delivery import Accepted, Delivery, Refused, holds_one, text_at, texts
from toolweave.nodes.trigger._outputs import started
from toolweave.tools.meaning import meant

_CRITERIA = ("body_contains", "subject_contains", "from_contains", "has_attachment")


def check_source(given: NodeInput) -> None:
    """Whether it says where mail comes from. Raises `SERVICE_FIELD_MISSING` and `…_INVALID`."""
    config = given.record("server_config")
    if given.text("email_provider") == "imap":
        if not config.get("host"):
            raise refused_at(
                ("server_config", "host"),
                "EMAIL_CONFIG_INVALID",
                "imap needs 'server_config.host'",
                hint='write it as {"host": "imap.example.com", "port": 993}',
            )
        check_host(str(config["host"]), config.get("port"), "server_config", "host")
    elif given.text("email_provider") == "webhook":
        _check_hook(config)
    check_access(given.record("credentials"), given.text("email_provider"), "credentials")
    criteria = given.record("filter_criteria")
    refuse_all(_unknown_criterion(name) for name in criteria if name not in _CRITERIA)


def _check_hook(config: JsonObject) -> None:
    path = config.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        raise refused_at(
            ("server_config", "path"),
            "EMAIL_CONFIG_INVALID",
            "mail by webhook needs 'server_config.path', which begins with /",
            hint='write {"path": "/mail/in"}',
            fix=f"/{path}" if isinstance(path, str) and path else None,
        )


def _unknown_criterion(name: str) -> Invalid:
    found = meant(name, _CRITERIA)
    return refused_at(
        ("filter_criteria", name),
        "SERVICE_FIELD_INVALID",
        f"there is no criterion {name!r}; expected one of {', '.join(_CRITERIA)}",
        hint=f"use {' or '.join(map(repr, found))}" if found else None,
    )


class EmailTrigger:
    """Starts a run for each new mail that passes the filters."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="EMAIL",
        summary="Start the workflow when a mail arrives in a mailbox.",
        effect="keyed",
        checks=(check_source,),
        configurations=(
            Field(
                "email_provider",
                "string",
                "How mail is got: imap asks any server, the APIs need OAuth, webhook waits for "
                "a push.",
                "imap",
                required=True,
                options=("imap", "gmail_api", "outlook_api", "webhook"),
            ),
            Field(
                "server_config",
                "object",
                'imap: {"host": "imap.example.com", "port": 993, "use_ssl": true}; APIs: '
                '{"base_url": ...}; webhook: {"path": "/mail/in"}.',
                required=True,
                members="{host, port: integer 1..65535, use_ssl: boolean, base_url, path}",
            ),
            Field(
                "credentials",
                "object",
                "imap: username and password; APIs: client_id, client_secret, refresh_token; "
                "webhook: secret. Secrets as vault references.",
                required=True,
                sensitive=True,
                members="{username, password, client_id, client_secret, refresh_token, "
                "access_token, tenant_id, secret}",
            ),
            Field("mailbox", "string", "Folder or label that is watched: INBOX.", "INBOX"),
            Field(
                "filter_criteria",
                "object",
                'What else must hold: {"body_contains": "invoice", "subject_contains": "May", '
                '"has_attachment": true}.',
                {},
                members="{body_contains: any, subject_contains: any, from_contains: any, "
                "has_attachment: boolean}",
            ),
            Field(
                "subject_keywords",
                "array",
                "The subject must hold one of these, in any case: [invoice, order].",
                [],
                items="string",
            ),
            Field(
                "sender_whitelist",
                "array",
                "Senders that count, addresses or domains: [ada@example.com, @example.org].",
                [],
                items="string",
            ),
            Field("process_attachments", "boolean", "Whether attachments are read.", True),
            Field(
                "attachment_types",
                "array",
                "File endings that are read: [pdf, csv]; others are left out.",
                ["pdf", "doc", "docx", "txt", "csv", "xlsx"],
                items="string",
            ),
            Field(
                "max_attachment_size",
                "integer",
                "Bytes of the largest attachment that is read.",
                10_485_760,
                minimum=1024,
                maximum=52_428_800,
            ),
            Field(
                "polling_interval",
                "integer",
                "Seconds between looks into the mailbox; webhook needs none.",
                300,
                minimum=30,
                maximum=3600,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When the run started: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("email_id", "string", "Id of the mail at its provider."),
            Field("sender", "string", "Address it came from."),
            Field("recipient", "string", "Address it was sent to."),
            Field("subject", "string", "Subject line."),
            Field("body_text", "string", "Body as plain text."),
            Field("body_html", "string", "Body as HTML; empty when there is none."),
            Field(
                "attachments",
                "array",
                "Files: filename, size, content_type and content in base64.",
                items="object",
            ),
            Field("received_date", "string", "When the server got it: 2026-03-02T09:29:40Z."),
            Field("trigger_message", "string", "One line that says what started the run."),
            Field("email_headers", "object", "Headers, names in lower case."),
        ),
        input_ports=(),
        tags=("trigger", "email", "mail", "imap"),
        keywords=(
            *("email", "mail", "inbox", "imap", "gmail", "outlook"),
            *("message", "attachment", "receive", "incoming", "invoice"),
        ),
        examples=(
            Example(
                "Support mail",
                "Asks the support mailbox every minute.",
                {
                    "email_provider": "imap",
                    "server_config": {"host": "imap.example.com", "port": 993, "use_ssl": True},
                    "credentials": {
                        "username": "support@example.com",
                        "password": "${vault:support-mail-password}",
                    },
                    "subject_keywords": ["help", "problem"],
                    "polling_interval": 60,
                },
            ),
            Example(
                "Invoices of known vendors",
                "PDF invoices under a Gmail label, up to 20 MB.",
                {
                    "email_provider": "gmail_api",
                    "server_config": {"base_url": "https://gmail.googleapis.com"},
                    "credentials": {
                        "client_id": "1234.apps.googleusercontent.com",
                        "client_secret": "${vault:gmail-client-secret}",
                        "refresh_token": "${vault:gmail-refresh-token}",
                    },
                    "mailbox": "invoices",
                    "sender_whitelist": ["billing@example.com", "@example.org"],
                    "attachment_types": ["pdf"],
                    "max_attachment_size": 20_971_520,
                },
            ),
            Example(
                "Pushed by the mail service",
                "The mail service posts each subscription mail to a path of ours.",
                {
                    "email_provider": "webhook",
                    "server_config": {"path": "/mail/newsletter"},
                    "credentials": {"secret": "${vault:mail-webhook-secret}"},
                    "filter_criteria": {"subject_contains": "newsletter"},
                    "process_attachments": False,
                },
            ),
            Example(
                "Alerts of the monitoring",
                "Alarm mails from one sender, looked for every 30 seconds.",
                {
                    "email_provider": "outlook_api",
                    "server_config": {"base_url": "https://graph.microsoft.com"},
                    "credentials": {
                        "client_id": "7a1c0e9b",
                        "client_secret": "${vault:outlook-client-secret}",
                        "refresh_token": "${vault:outlook-refresh-token}",
                    },
                    "subject_keywords": ["ALERT", "CRITICAL"],
                    "sender_whitelist": ["monitoring@example.com"],
                    "process_attachments": False,
                    "polling_interval": 30,
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The mail."""
        known: JsonObject = {"trigger_message": f"Started by hand for {given.text('mailbox')}"}
        return Outcome(started(self.spec, given, known))


def accepts(config: JsonObject, delivery: Delivery) -> Accepted:
    """The outputs for a mail that a service posted, if it passes all filters."""
    mail = posted_mail(delivery.body)
    if mail is None:
        return Refused("it holds no mail")
    return accepts_mail(config, mail, delivery.received_at)


def accepts_raw(config: JsonObject, raw: bytes, identity: str, now: str) -> Accepted:
    """The outputs for a mail as a mailbox has it, if it passes all filters."""
    return accepts_mail(config, read_mail(raw, identity), now)


def accepts_mail(config: JsonObject, mail: JsonObject, now: str) -> Accepted:
    """Return the outputs for a mail that passes all filters, without unwanted attachments."""
    if (reason := _refusal(config, mail)) is not None:
        return Refused(reason)
    kept = list(_attachments(config, mail)) if config.get("process_attachments", True) else []
    message = f"Mail from {mail['sender']}: {mail['subject']}"
    return {"trigger_time": now, **mail, "attachments": kept, "trigger_message": message}


def _refusal(config: JsonObject, mail: JsonObject) -> str | None:
    sender, subject = text_at(mail, "sender").casefold(), text_at(mail, "subject")
    allowed = [one.casefold() for one in texts(config.get("sender_whitelist"))]
    if allowed and not any(_is_from(sender, one) for one in allowed):
        return f"sender {sender!r} is not in the list"
    if not holds_one(subject, texts(config.get("subject_keywords"))):
        return "the subject holds none of the keywords"
    criteria = config.get("filter_criteria")
    for name, wanted in criteria.items() if isinstance(criteria, dict) else ():
        if name not in _CRITERIA:
            return f"nobody knows the criterion {name!r}; there are {', '.join(_CRITERIA)}"
        if not _holds(mail, name, wanted):
            return f"the criterion {name!r} does not hold"
    return None


def _is_from(sender: str, allowed: str) -> bool:
    """Whether a sender is an address, or of a domain written with or without its @."""
    return sender == allowed or sender.endswith(f"@{allowed.removeprefix('@')}")


def _holds(mail: JsonObject, name: str, wanted: Json) -> bool:
    if name == "has_attachment":
        return bool(mail["attachments"]) == bool(wanted)
    words = texts(wanted if isinstance(wanted, list) else [wanted])
    looked_at = {
        "body_contains": text_at(mail, "body_text") or text_at(mail, "body_html"),
        "subject_contains": text_at(mail, "subject"),
        "from_contains": text_at(mail, "sender"),
    }
    return holds_one(looked_at[name], words)


def _attachments(config: JsonObject, mail: JsonObject) -> Iterator[Json]:
    endings = {one.casefold().removeprefix(".") for one in texts(config.get("attachment_types"))}
    most = config.get("max_attachment_size")
    listed = mail["attachments"]
    for one in listed if isinstance(listed, list) else []:
        size = one.get("size") if isinstance(one, dict) else None
        ending = text_at(one, "filename").casefold().rpartition(".")[2]
        is_small = not isinstance(size, int) or not isinstance(most, int) or size <= most
        if ending in endings and is_small:
            yield one


node = EmailTrigger()
