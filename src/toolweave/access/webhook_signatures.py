"""Verify webhook requests: tokens and signatures, compared in constant time.

Pure. `None` means verified; a text is the reason for the log, never for the caller.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from toolweave import json_text
from toolweave.json_text import Json, JsonObject

MAX_DEPTH = 64
MAX_FIELDS = 1_000
# Maximum difference between the signed time and ours.
WINDOW_S = 300

TOKEN_HEADERS = ("x-webhook-token", "x-auth-token", "x-api-key")
TOKEN_PARAMETER = "token"
SIGNATURE = "x-signature"
TIMESTAMP = "x-timestamp"
GITHUB_SIGNATURE = "x-hub-signature-256"
SLACK_SIGNATURE, SLACK_TIMESTAMP = "x-slack-signature", "x-slack-request-timestamp"
DISCORD_SIGNATURE, DISCORD_TIMESTAMP = "x-signature-ed25519", "x-signature-timestamp"
TELEGRAM_TOKEN = "x-telegram-bot-api-secret-token"
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")

# Headers with credentials are not passed to the run.
PROOFS = frozenset({"authorization", "cookie", *TOKEN_HEADERS})


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """An incoming request; header names are in lower case."""

    method: str
    path: str
    received_at: datetime
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    client_ip: str = ""


def header_token(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify a token in `Authorization: Bearer …` or a token header."""
    scheme, _, bearer = arrival.headers.get("authorization", "").partition(" ")
    given = [arrival.headers[name] for name in TOKEN_HEADERS if name in arrival.headers]
    if scheme.lower() == "bearer":
        given.append(bearer.strip())
    return None if any(_same(one, secret) for one in given) else "no header contains the token"


def query_token(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify a token in `?token=…`."""
    is_same = _same(arrival.query.get(TOKEN_PARAMETER, ""), secret)
    return None if is_same else "the query does not contain the token"


def signature(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify an HMAC-SHA256 in one of three common forms, with its timestamp if it has one.

    `X-Signature: sha256=HEX` over `TIMESTAMP.BODY` with `X-Timestamp`; Standard Webhooks; or
    `X-Hub-Signature-256` over the body alone.
    """
    headers = arrival.headers
    if STANDARD[2] in headers:
        return _standard(arrival, secret)
    if SIGNATURE in headers:
        moment = headers.get(TIMESTAMP, "")
        signed = moment.encode() + b"." + arrival.body
        expected = _hex(secret, signed)
        given = headers[SIGNATURE].removeprefix("sha256=")
        return _late(moment, arrival) or _differs(given, expected)
    return github_signature(arrival, secret)


def github_signature(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify GitHub's HMAC-SHA256 of the body."""
    given = arrival.headers.get(GITHUB_SIGNATURE, "")
    return _differs(given, f"sha256={_hex(secret, arrival.body)}")


def slack_signature(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify Slack's `v0` HMAC-SHA256 of `v0:TIMESTAMP:BODY`."""
    moment = arrival.headers.get(SLACK_TIMESTAMP, "")
    expected = f"v0={_hex(secret, b'v0:' + moment.encode() + b':' + arrival.body)}"
    return _late(moment, arrival) or _differs(arrival.headers.get(SLACK_SIGNATURE, ""), expected)


def discord_signature(arrival: WebhookRequest, public_key: str) -> str | None:
    """Verify Discord's Ed25519 signature of timestamp and body."""
    moment = arrival.headers.get(DISCORD_TIMESTAMP, "")
    if (late := _late(moment, arrival)) is not None:
        return late
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        given = bytes.fromhex(arrival.headers.get(DISCORD_SIGNATURE, ""))
        key.verify(given, moment.encode() + arrival.body)
    except (ValueError, InvalidSignature):
        return "the signature differs"
    return None


def telegram_token(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify Telegram's secret from `setWebhook` in a header."""
    is_same = _same(arrival.headers.get(TELEGRAM_TOKEN, ""), secret)
    return None if is_same else "the header does not contain the token"


def timed_signature(arrival: WebhookRequest, secret: str) -> str | None:
    """Verify `X-Signature: sha256=HEX` over `TIMESTAMP.BODY`, with a required `X-Timestamp`."""
    moment = arrival.headers.get(TIMESTAMP, "")
    expected = _hex(secret, moment.encode() + b"." + arrival.body)
    given = arrival.headers.get(SIGNATURE, "").removeprefix("sha256=")
    return _late(moment, arrival) or _differs(given, expected)


def replay_key(arrival: WebhookRequest) -> str | None:
    """Return the identity of a signed request, for replay detection: timestamp and signature."""
    headers = arrival.headers
    if SIGNATURE in headers and TIMESTAMP in headers:
        return f"{headers[TIMESTAMP]}.{headers[SIGNATURE]}"
    return None


def _standard(arrival: WebhookRequest, secret: str) -> str | None:
    identity, moment, given = (arrival.headers.get(name, "") for name in STANDARD)
    signed = f"{identity}.{moment}.".encode() + arrival.body
    key = secret.encode()
    if secret.startswith("whsec_"):
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except ValueError:
            return "the secret is not base64"
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    offered = [one.removeprefix("v1,") for one in given.split() if one.startswith("v1,")]
    if (late := _late(moment, arrival)) is not None:
        return late
    return None if any(_same(one, expected) for one in offered) else "the signature differs"


def _late(moment: str, arrival: WebhookRequest) -> str | None:
    if not moment.isascii() or not moment.isdigit() or len(moment) > 15:
        return "the signature's timestamp is missing"
    if abs(arrival.received_at.timestamp() - int(moment)) > WINDOW_S:
        return "the signature's timestamp is too far from now"
    return None


def _hex(secret: str, signed: bytes) -> str:
    return hmac.digest(secret.encode(), signed, hashlib.sha256).hex()


def _differs(given: str, expected: str) -> str | None:
    return None if _same(given, expected) else "the signature differs"


def _same(given: str, expected: str) -> bool:
    # An empty secret proves nothing.
    return bool(expected) and hmac.compare_digest(given.encode(), expected.encode())


def parse_body(arrival: WebhookRequest) -> Json:
    """Return the body: JSON and forms parsed, other content as text, `None` if empty."""
    kind = arrival.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not arrival.body:
        return None
    if kind == "application/json" or kind.endswith("+json"):
        return json_text.read(arrival.body, max_depth=MAX_DEPTH)
    text = arrival.body.decode("utf-8", "replace")
    if kind != "application/x-www-form-urlencoded":
        return text
    fields: JsonObject = {}
    for name, value in parse_qsl(text, keep_blank_values=True)[:MAX_FIELDS]:
        before = fields.get(name)
        if name not in fields:
            fields[name] = value
        else:
            fields[name] = [*before, value] if isinstance(before, list) else [before, value]
    return fields
