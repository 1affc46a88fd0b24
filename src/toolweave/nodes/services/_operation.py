"""An action of a service as data: which request it is, and which field goes where in it. Pure.

Fields are written in a small language, separated by spaces: `title` sends the value `title`,
`ref=branch` sends the value `branch` as `ref`, `text=poll.question` looks into an object, and a
`!` at the end says that the action cannot be done without it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import quote

from toolweave import json_text
from toolweave.catalog.node_input import refuse_all
from toolweave.catalog.spec import Effect
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

BodyForm = Literal["json", "form"]
# `{owner}` is one segment of a path, `{path*}` may be several.
_HOLE = pattern(r"\{(\w+)(\*?)\}")


@dataclass(frozen=True, slots=True)
class Action:
    """One request: method and path, and the fields of its query and body."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    body: str = ""
    query: str = ""
    # What is sent whatever the values are.
    fixed: JsonObject = field(default_factory=dict[str, Json])
    form: BodyForm = "json"
    # Whether doing it twice is doing it once; asking always is.
    is_repeatable: bool = False

    @property
    def effect(self) -> Effect:
        """What a try of it does to the world."""
        return "keyed" if self.method == "GET" or self.is_repeatable else "once"


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A file in a multipart body."""

    name: str
    filename: str
    data: bytes = field(repr=False)
    media_type: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """A request as it is sent, but for the address and the token of the service."""

    method: str
    # Filled and encoded; a whole address where the service named one.
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Json = None
    form: BodyForm = "json"
    parts: tuple[RequestPart, ...] = ()
    # Bytes that are the body, and of which type.
    raw: tuple[bytes, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    # Another address of the same service: some take files elsewhere.
    at: str = ""
    # The address is `${vault:NAME}` and no token goes with it.
    is_secret: bool = False
    # Whether the answer is JSON.
    has_json: bool = True

    @property
    def has_token(self) -> bool:
        """Whether the token goes with it: only to the service's own address."""
        return self.path.startswith("/") and not self.is_secret


class ValueLocation(NamedTuple):
    """Where a value comes from, and what it is called on the wire."""

    wire: str
    source: str
    is_needed: bool


@lru_cache(maxsize=1024)
def places(fields: str) -> tuple[ValueLocation, ...]:
    """The fields written in the small language."""
    found: list[ValueLocation] = []
    for word in fields.split():
        text = word.removesuffix("!")
        wire, _, source = text.partition("=")
        found.append(ValueLocation(wire, source or wire, text != word))
    return tuple(found)


def look_up(values: JsonObject, source: str) -> Json:
    """A value by its name, or by a path into objects."""
    found: Json = values
    for name in source.split("."):
        if not isinstance(found, dict):
            return None
        found = found.get(name)
    return found


def taken(fields: str, values: JsonObject, *, by: str) -> JsonObject:
    """What of `values` is sent; nothing is sent for what was not given."""
    found: JsonObject = {}
    absent: list[Invalid] = []
    for wire, source, is_needed in places(fields):
        value = look_up(values, source)
        if value is None or (is_needed and value in ("", [])):
            absent += [missing(source, by)] if is_needed else []
            continue
        found[wire] = value
    refuse_all(absent)
    return found


def missing(name: str, action: str) -> Invalid:
    """An action cannot be done without this field."""
    return Invalid(
        "SERVICE_FIELD_MISSING",
        f"{action} needs {name!r}, which is not given",
        hint=f"give {name} as input or in the configuration",
        facts={"field": name},
    )


def build(name: str, action: Action, values: JsonObject) -> ServiceCall:
    """The request of an action. Raises `SERVICE_FIELD_MISSING`, `SERVICE_FIELD_INVALID`."""
    body = {**taken(action.body, values, by=name), **action.fixed}
    return ServiceCall(
        action.method,
        fill_path(action.path, values, by=name),
        tuple(query_of(taken(action.query, values, by=name))),
        None if action.method == "GET" or not (body or action.body) else body,
        action.form,
    )


def query_of(values: JsonObject) -> Iterator[tuple[str, str]]:
    """Query values as they are written; a list is written one by one."""
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            yield name, plain(one, name)


def plain(value: Json, name: str) -> str:
    """A text, number or boolean as it is written into an address."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, dict | list):
        raise invalid(name, f"is {value!r:.80}; expected a text, a number, true or false")
    return json_text.write(value)


def fill_path(path: str, values: JsonObject, *, by: str) -> str:
    """`path` with its fields put in, so that none can leave its place."""

    def value(found: re.Match[str]) -> str:
        name, is_long = found[1], bool(found[2])
        given = values.get(name)
        if given is None or given == "":
            raise missing(name, by)
        text = plain(given, name)
        segments = text.strip("/").split("/") if is_long else [text]
        if any(segment in {"", ".", ".."} for segment in segments):
            raise invalid(name, f"is {text!r:.80}, which is no part of an address")
        return "/".join(quote(segment, safe="") for segment in segments)

    return _HOLE.sub(value, path)


def invalid(name: str, why: str) -> Invalid:
    """A field has a value that cannot be sent."""
    return Invalid("SERVICE_FIELD_INVALID", f"{name!r} {why}", facts={"field": name})


def get(path: str, query: str = "") -> Action:
    """An action that asks."""
    return Action("GET", path, query=query)


def post(path: str, body: str = "", **fixed: Json) -> Action:
    """An action that makes something, each time it is done."""
    return Action("POST", path, body, fixed=fixed)


def put(path: str, body: str = "", **fixed: Json) -> Action:
    """An action that sets something: to do it twice is to do it once."""
    return Action("PUT", path, body, fixed=fixed, is_repeatable=True)


def patch(path: str, body: str = "", **fixed: Json) -> Action:
    """An action that changes something to what it says."""
    return Action("PATCH", path, body, fixed=fixed, is_repeatable=True)


def delete(path: str, query: str = "") -> Action:
    """An action that takes something away."""
    return Action("DELETE", path, query=query)


def effect_in(actions: Mapping[str, Action], config: JsonObject) -> Effect:
    """What the configured action does to the world; a name only known at run time may write."""
    name = config.get("action_type")
    action = actions.get(name) if isinstance(name, str) else None
    return "once" if action is None else action.effect
