"""Parses a webhook request: its body, its delivery id, and the triggers it is for."""

import hashlib
from collections.abc import Callable, Mapping
from typing import TypeAlias

from toolweave.access import webhook_signatures as proving
from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.json_text import Json, JsonObject
from toolweave.triggers.active_triggers import ActiveTriggerSettings

WAIT_PARAMETER = "wait"

# Paths shared by all triggers of a kind, because one app posts to one address.
FOR_ALL = {"TRIGGER.GITHUB": "/github", "TRIGGER.SLACK": "/slack"}

# Headers by which a sender identifies a repeated delivery.
_SAME = (
    *("idempotency-key", "x-idempotency-key", "webhook-id", "x-delivery-id"),
    *("x-github-delivery", "x-shopify-webhook-id", "x-gitlab-event-uuid"),
)

Proof: TypeAlias = Callable[[WebhookRequest, str], str | None]


def any_proof(arrival: WebhookRequest, secret: str) -> str | None:
    """Mail services authenticate in different ways."""
    ways = (proving.header_token, proving.query_token, proving.signature)
    reasons = [way(arrival, secret) for way in ways]
    return None if None in reasons else "no valid token or signature"


PROOFS: Mapping[str, Proof] = {
    "header_token": proving.header_token,
    "query_param": proving.query_token,
    "signature": proving.signature,
    "github": proving.github_signature,
    "slack": proving.slack_signature,
    "email": any_proof,
}


def own_path(ref: str, config: JsonObject) -> str | None:
    """Return the path that belongs to a trigger alone, by its settings."""
    if ref == "TRIGGER.WEBHOOK":
        own = config.get("webhook_path")
        return plain_path(own) if isinstance(own, str) and own.strip("/") else None
    server = config.get("server_config")
    if ref == "TRIGGER.EMAIL" and config.get("email_provider") == "webhook":
        path = server.get("path") if isinstance(server, dict) else None
        return plain_path(path) if isinstance(path, str) and path.startswith("/") else None
    return None


def plain_path(path: str) -> str:
    """Return a path without a trailing slash."""
    return "/" + path.strip("/")


def listens_at(active: ActiveTriggerSettings, path: str) -> bool:
    """Whether a trigger listens at a path."""
    row = active.row
    if row.path is not None:
        return row.path == path
    shared = FOR_ALL.get(row.ref)
    return shared is not None and path in {shared, f"{shared}/{row.workflow}/{row.node}"}


def shown_headers(arrival: WebhookRequest) -> dict[str, str]:
    """Return the headers a run may see: without credentials."""
    return {name: value for name, value in arrival.headers.items() if name not in proving.PROOFS}


def shown_query(arrival: WebhookRequest, *, hides_token: bool) -> dict[str, Json]:
    """Return the query a run may see."""
    hidden = (WAIT_PARAMETER, proving.TOKEN_PARAMETER if hides_token else WAIT_PARAMETER)
    return {name: value for name, value in arrival.query.items() if name not in hidden}


def same_by(ref: str, arrival: WebhookRequest, body: Json) -> str | None:
    """Return the id of a delivery, the same for a repeated one; None if the sender gives none."""
    if ref == "TRIGGER.SLACK":
        # A retry contains the same event; `X-Slack-Retry-Num` only counts.
        found = body.get("event_id") if isinstance(body, dict) else None
    else:
        named = (arrival.headers[name] for name in _SAME if name in arrival.headers)
        found = next(named, None) or proving.replay_key(arrival)
    if not isinstance(found, str) or not found:
        return None
    return found if len(found) <= 128 else hashlib.sha256(found.encode()).hexdigest()
