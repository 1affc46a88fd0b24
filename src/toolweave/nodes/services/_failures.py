"""What a service's refusal is to us: one error per thing the caller can do, in its own words."""

import re
from email.utils import parsedate_to_datetime

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.errors import (
    Conflict,
    Denied,
    Invalid,
    Limited,
    NotFound,
    ToolweaveError,
    Unavailable,
)
from toolweave.json_text import Json
from toolweave.patterns import pattern

LONGEST_WORDS = 300
_UNPRINTABLE = pattern(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


def as_error(service: Service, name: str, failure: Failure) -> ToolweaveError:
    """The error for a failure of the action `name`."""
    words = _UNPRINTABLE.sub(" ", failure.words)[:LONGEST_WORDS].strip() or "no reason given"
    message = f"{service.title} refused {name}: {words}"
    facts = {"service": service.kind, "status": failure.status}
    match failure.status:
        case 401:
            hint = f"test the credential with `toolweave services test {service.kind}`"
            return Denied("SERVICE_CREDENTIAL_REFUSED", message, hint=hint, facts=facts)
        case 403:
            hint = "give the credential the right to do this, or use another one"
            return Denied("SERVICE_DENIED", message, hint=hint, facts=facts)
        case 404 | 410:
            return NotFound("SERVICE_NOT_FOUND", message, facts=facts)
        case 409:
            return Conflict("SERVICE_CONFLICT", message, facts=facts)
        case 429:
            wait_s = failure.retry_after_s
            told = facts if wait_s is None else {**facts, "retry_after_s": wait_s}
            return Limited("SERVICE_LIMITED", message, hint="try again later", facts=told)
        case status if status >= 500:
            message = f"{service.title} failed at {name}: {words}"
            return Unavailable("SERVICE_UNAVAILABLE", message, facts=facts)
        case _:
            return Invalid("SERVICE_REFUSED", message, facts=facts)


def http_failure(response: Response, words: str) -> Failure | None:
    """The failure that the HTTP status tells; nothing for a status of success."""
    if 200 <= response.status < 300:
        return None
    status = response.status
    wait_s = retry_after_s(response)
    # Some say 403 for a limit; then nothing is left, or they say when to come back.
    spent = response.headers.get("x-ratelimit-remaining") == "0"
    if status == 403 and (spent or "retry-after" in response.headers):
        status = 429
    return Failure(status, words or f"HTTP status {response.status}", wait_s)


def retry_after_s(response: Response) -> float | None:
    """How long to wait, as `Retry-After` or `X-RateLimit-Reset…` says; nothing where none does."""
    told = _number(response.headers.get("retry-after"))
    if told is None:
        told = _number(response.headers.get("x-ratelimit-reset-after"))
    if told is None and response.headers.get("x-ratelimit-remaining") == "0":
        reset = _number(response.headers.get("x-ratelimit-reset"))
        now = _date(response)
        told = None if reset is None or now is None else reset - now
    return None if told is None else max(told, 0.0)


def rate_limits(response: Response) -> dict[str, Json]:
    """What the headers tell about calls left."""
    found: dict[str, Json] = {}
    for name in ("limit", "remaining", "reset", "reset-after", "bucket", "resource", "used"):
        value = response.headers.get(f"x-ratelimit-{name}")
        if value is not None:
            number = _number(value)
            key = name.replace("-", "_")
            found[key] = value if number is None else int(number) if number % 1 == 0 else number
    wait_s = _number(response.headers.get("retry-after"))
    return found if wait_s is None else {**found, "retry_after": wait_s}


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,12}(\.\d{1,9})?", text) else None


def _date(response: Response) -> float | None:
    """The service's own time: our clock may be wrong by more than the wait."""
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except ValueError:
        return None
