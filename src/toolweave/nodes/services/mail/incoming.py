"""Mails as JSON: read from their raw form, or from what a mail service posts."""

import base64
import binascii
from collections.abc import Iterator
from datetime import UTC
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject

# What services call the fields of a mail.
_CALLED = {
    "email_id": ("email_id", "id", "message_id", "Message-Id"),
    "sender": ("sender", "from", "From"),
    "recipient": ("recipient", "to", "To"),
    "subject": ("subject", "Subject"),
    "body_text": ("body_text", "text", "body-plain", "TextBody"),
    "body_html": ("body_html", "html", "body-html", "HtmlBody"),
    "received_date": ("received_date", "date", "Date"),
}


def read_mail(raw: bytes, identity: str = "") -> JsonObject:
    """A mail from its raw form (RFC 5322), attachments in base64."""
    message = message_from_bytes(raw, policy=policy.default)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    return {
        "email_id": identity or str(message.get("message-id", "")).strip(),
        "sender": _addresses(message, "from"),
        "recipient": _addresses(message, "to"),
        "subject": str(message.get("subject", "")),
        "body_text": _content(text),
        "body_html": _content(html),
        "attachments": list(_attachments(message)),
        "received_date": _date(message),
        "email_headers": {name.lower(): str(value) for name, value in message.items()},
    }


def posted_mail(body: Json) -> JsonObject | None:
    """A mail from what a service posts: raw, or as fields of the usual names."""
    if isinstance(body, str):
        return read_mail(body.encode())
    if not isinstance(body, dict):
        return None
    if isinstance(raw := body.get("raw", body.get("email")), str):
        return read_mail(_decoded(raw))
    found: JsonObject = {name: _first(body, called) for name, called in _CALLED.items()}
    listed, headers = body.get("attachments"), body.get("email_headers", body.get("headers"))
    found["attachments"] = (
        [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    )
    found["email_headers"] = headers if isinstance(headers, dict) else {}
    return found if found["sender"] else None


def _first(body: JsonObject, called: tuple[str, ...]) -> str:
    return next((found for name in called if isinstance(found := body.get(name), str)), "")


def _decoded(raw: str) -> bytes:
    """The raw mail; some services put it in base64."""
    try:
        return base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        return raw.encode()


def _addresses(message: EmailMessage, header: str) -> str:
    found = getaddresses([str(value) for value in message.get_all(header, [])])
    return ", ".join(address for _, address in found if address)


# Any: the types of headers, which are not looked at here.
def _content(part: "MIMEPart[Any, Any] | None") -> str:
    if part is None:
        return ""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:  # a character set nobody knows
        return data.decode("utf-8", "replace")


def _attachments(message: EmailMessage) -> Iterator[JsonObject]:
    for part in message.iter_attachments():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            yield {
                "filename": part.get_filename() or "unnamed",
                "size": len(data),
                "content_type": part.get_content_type(),
                "content": base64.b64encode(data).decode("ascii"),
            }


def _date(message: EmailMessage) -> str:
    try:
        moment = parsedate_to_datetime(str(message.get("date", "")))
    except ValueError:
        return ""
    return timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
