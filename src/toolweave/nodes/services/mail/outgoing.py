"""A mail made safe to send, and what `app` provides to send it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, getaddresses, parseaddr
from functools import partial

from toolweave.catalog.address_texts import is_host, meant_host, several_mailboxes
from toolweave.catalog.node_input import NodeInput, read_each, refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.nodes.services._operation import RequestPart, invalid
from toolweave.patterns import pattern

MAX_RECIPIENTS = 100
MAX_MAIL_BYTES = 25 * 1024 * 1024

_CONTROL = pattern(r"[\x00-\x08\x0a-\x1f\x7f\u2028\u2029]")
_ADDRESS = pattern(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")
_HEADER = pattern(r"[A-Za-z][A-Za-z0-9-]{0,60}")
# Set by the fields of the node, or by the way a mail goes.
_RESERVED = pattern(
    r"(?i)from|to|cc|bcc|subject|date|sender|message-id|reply-to|in-reply-to|references"
    r"|mime-version|received|return-path|dkim-.*|content-.*|resent-.*"
)


@dataclass(frozen=True, slots=True)
class MailDraft:
    """A mail before it is written down."""

    sender: str
    sender_name: str = ""
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str = ""
    text: str = ""
    html: str = ""
    reply_to: str = ""
    in_reply_to: str = ""
    headers: Mapping[str, Json] = field(default_factory=dict[str, Json])
    attachments: tuple[RequestPart, ...] = ()

    @property
    def recipients(self) -> tuple[str, ...]:
        """Everybody who gets it, by address."""
        everybody = (parseaddr(one)[1] for one in (*self.to, *self.cc, *self.bcc))
        return tuple(dict.fromkeys(everybody))


def write_mail(draft: MailDraft, *, message_id: str, at: datetime) -> bytes:
    """Return the encoded mail; no value can add a header or a recipient."""
    mail = EmailMessage(policy=policy.SMTP)
    name, address = _mailbox(draft.sender, "from_address")
    mail["From"] = Address(_plain(draft.sender_name or name, "from_name"), addr_spec=address)
    for header, given in (("To", draft.to), ("Cc", draft.cc)):
        if given:
            mail[header] = [_address(one, header.lower()) for one in given]
    for one in draft.bcc:  # they get it and nobody sees them
        _mailbox(one, "bcc")
    mail["Subject"] = _plain(draft.subject, "subject")
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = message_id
    if draft.reply_to:
        mail["Reply-To"] = _address(draft.reply_to, "reply_to")
    if draft.in_reply_to:
        mail["In-Reply-To"] = mail["References"] = _plain(draft.in_reply_to, "in_reply_to")
    for header, value in draft.headers.items():
        mail[_header(header)] = _plain(value, f"headers.{header[:60]}")
    _fill(mail, draft)
    data = mail.as_bytes()
    if len(data) > MAX_MAIL_BYTES:
        raise invalid("attachments", f"make a mail of more than {MAX_MAIL_BYTES} bytes")
    return data


def _fill(mail: EmailMessage, draft: MailDraft) -> None:
    if draft.text or not draft.html:
        mail.set_content(draft.text)
    if draft.html:
        if draft.text:
            mail.add_alternative(draft.html, subtype="html")
        else:
            mail.set_content(draft.html, subtype="html")
    for part in draft.attachments:
        kind, _, subtype = part.media_type.partition("/")
        is_kind = re.fullmatch(r"[a-z]+/[A-Za-z0-9.+-]+", part.media_type) is not None
        mail.add_attachment(
            part.data,
            maintype=kind if is_kind else "application",
            subtype=subtype if is_kind else "octet-stream",
            filename=_plain(part.filename, "attachments"),
        )


def check_draft(draft: MailDraft) -> None:
    """Whether addresses and headers can be written. Raises `SERVICE_FIELD_INVALID`."""
    checked: list[tuple[str | int, ...]] = [(draft.sender, "from_address")]
    for name, listed in (("to", draft.to), ("cc", draft.cc), ("bcc", draft.bcc)):
        checked += [(one, name, index) for index, one in enumerate(listed)]
    checked += [(draft.reply_to, "reply_to")] if draft.reply_to else []
    lines: list[tuple[Json, str]] = [(draft.subject, "subject"), (draft.in_reply_to, "in_reply_to")]
    lines += [(draft.sender_name, "from_name")] if draft.sender_name else []
    lines += [(value, f"headers.{name[:60]}") for name, value in draft.headers.items()]
    read_each(
        (
            *(partial(check_mailbox, str(text), *at) for text, *at in checked),
            *(partial(_plain, value, name) for value, name in lines),
            *(partial(_header, name) for name in draft.headers),
        )
    )


def check_host(host: str, port: Json, *at: str) -> None:
    """Whether a text is a host and nothing else. Raises `SERVICE_FIELD_INVALID`."""
    if not host or is_host(host):
        return
    meant = meant_host(host, port if isinstance(port, int) else None)
    raise refused_at(
        at,
        "SERVICE_FIELD_INVALID",
        f"{'.'.join(at)!r} is {host[:80]!r}; expected a host such as mail.example.com",
        hint=f"write {meant}" if meant else "write the host alone; the port is a field of its own",
        fix=meant,
    )


def check_people(given: NodeInput, field_name: str) -> None:
    """Whether every text of a list is a mail address. Raises `SERVICE_FIELD_INVALID`."""
    read_each(
        partial(check_mailbox, str(one), field_name, index)
        for index, one in enumerate(given.listing(field_name))
    )


def check_mailbox(text: str, *at: str | int) -> None:
    """Whether a text is one mail address. Raises `SERVICE_FIELD_INVALID`."""
    try:
        _mailbox(text, str(at[0]))
    except Invalid as error:
        several = ", ".join(several_mailboxes(text))
        hint = f"write them one by one: {several}" if several else error.hint
        raise refused_at(at, error.code, error.message, hint=hint) from None


def _address(text: str, field_name: str) -> Address:
    name, address = _mailbox(text, field_name)
    return Address(name, addr_spec=address)


def _mailbox(text: str, field_name: str) -> tuple[str, str]:
    found = getaddresses([_plain(text, field_name)])
    name, address = found[0] if len(found) == 1 else ("", "")
    if not _ADDRESS.fullmatch(address):
        raise invalid(field_name, f"is {text!r:.80}; expected ada@example.com or Ada <ada@…>")
    return name, address


def _header(name: str) -> str:
    if not _HEADER.fullmatch(name) or _RESERVED.fullmatch(name):
        raise invalid("headers", f"cannot set {name!r:.70}")
    return name


def check_line(text: str, field_name: str) -> None:
    """Whether a header can have this text. Raises `SERVICE_FIELD_INVALID`."""
    _plain(text, field_name)


def _plain(value: Json, field_name: str) -> str:
    if not isinstance(value, str) or _CONTROL.search(value):
        raise invalid(field_name, "must be one line of text")
    return value
