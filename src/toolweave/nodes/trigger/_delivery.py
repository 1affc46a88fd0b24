"""A request from outside, as the filters of triggers see it: parsed, proven, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from toolweave.catalog.node_input import refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, read


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request; header names are in lower case, `body` is parsed where it could be."""

    method: str = "POST"
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, Json] = field(default_factory=dict[str, Json])
    body: Json = None
    received_at: str = ""
    client_ip: str = ""
    # What ids in the body are called, where the sender tells only ids.
    names: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a delivery starts no run; nothing is wrong with that."""

    reason: str


# The outputs of the trigger, or why there is no run.
Accepted: TypeAlias = JsonObject | Refused


def payload_of(delivery: Delivery) -> JsonObject:
    """The object in the body; a form may have it as the text of its field `payload`."""
    body = delivery.body
    if isinstance(body, dict) and isinstance(body.get("payload"), str):
        try:
            body = read(str(body["payload"]), max_depth=64)
        except Invalid:
            return {}
    return body if isinstance(body, dict) else {}


def at(value: Json, path: str) -> Json:
    """What stands at `a.b.c` in an object; nothing where the way ends."""
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def text_at(value: Json, path: str) -> str:
    """The text at a path; empty where there is none."""
    found = at(value, path)
    return found if isinstance(found, str) else ""


def texts(value: Json) -> list[str]:
    """The texts of a list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def holds_one(text: str, words: list[str]) -> bool:
    """Whether a text holds one of some words, in any case; always where there are none."""
    folded = text.casefold()
    return not words or any(word.casefold() in folded for word in words)


def secret_missing(field: str) -> Invalid:
    """A trigger has no secret that proves who calls it."""
    message = f"{field!r} is required to authenticate callers"
    at = tuple(field.split("."))
    return refused_at(at, "HOOK_SECRET_MISSING", message, hint="write it as ${vault:NAME}")
