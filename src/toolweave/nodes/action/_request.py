"""What ACTION.HTTP_REQUEST sends, made of its settings and inputs. Pure."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlencode

from toolweave import json_text
from toolweave.catalog.node_input import refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

# `{{ name }}` as templates write it, and `{name}` as API descriptions do.
_VARIABLE = pattern(r"\{\{\s*([\w.-]+)\s*\}\}|\{([\w.-]+)\}")
_HEADER_NAME = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = pattern(r"[\x20-\x7e\t]*")
_RESERVED = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
)
_BODILESS = frozenset({"GET", "HEAD"})


class Payload(NamedTuple):
    """A body and the type it has unless a header says another."""

    body: bytes | None = None
    content_type: str | None = None


def fill_url(url: str, variables: JsonObject) -> str:
    """`url` with its variables put in, so that none can leave its place."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name not in variables:
            if found[2]:
                return found[0]
            raise Invalid(
                "HTTP_URL_INVALID",
                f"the url asks for {name!r}, which url_variables does not have",
                hint=f'give url_variables {{"{name}": …}}',
            )
        text = plain_value(variables[name], "url_variables", name)
        if text in {"", ".", ".."}:
            message = f"url_variables.{name} is {text!r}"
            raise refused_at(("url_variables", name), "HTTP_URL_INVALID", message)
        return quote(text, safe="")

    return _VARIABLE.sub(value, url)


def merge_headers(configured: JsonObject, dynamic: JsonObject) -> dict[str, str]:
    """All headers by name in lower case; the dynamic ones win, and null takes one away."""
    _refuse_references(dynamic, "dynamic_headers")
    merged = {name.lower(): (value, "headers", name) for name, value in configured.items()}
    merged |= {name.lower(): (value, "dynamic_headers", name) for name, value in dynamic.items()}
    return {name: _header(name, *found) for name, found in merged.items() if found[0] is not None}


def _header(name: str, value: Json, *at: str) -> str:
    text = plain_value(value, *at)
    if not _HEADER_NAME.fullmatch(name) or name in _RESERVED:
        raise refused_at(at, "HTTP_HEADER_INVALID", f"{name[:80]!r} is not an allowed header")
    if not _HEADER_VALUE.fullmatch(text):
        message = f"the header {at[-1]!r} has a line break or a non-ASCII character in it"
        raise refused_at(at, "HTTP_HEADER_INVALID", message, hint="write one header for each line")
    return text


def merge_params(configured: JsonObject, dynamic: JsonObject) -> dict[str, list[str]]:
    """All query values by name; the dynamic ones win, and null takes one away."""
    _refuse_references(dynamic, "dynamic_query_params")
    return {
        name: [
            plain_value(one, "dynamic_query_params" if name in dynamic else "query_params", name)
            for one in _several(value)
        ]
        for name, value in (configured | dynamic).items()
        if value is not None
    }


def make_payload(method: str, body_type: str, body: Json) -> Payload:
    """What is sent as body."""
    if body is None or body_type == "none" or method in _BODILESS:
        return Payload()
    match body_type:
        case "form":
            return Payload(_form(body), "application/x-www-form-urlencoded")
        case "raw":
            return _raw(body)
        case _:
            return Payload(json_text.write(body).encode(), "application/json")


def plain_value(value: Json, *at: str | int) -> str:
    """A text, number or boolean as it is written into an address or header; `at` is its place."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, dict | list):
        where = ".".join(map(str, at))
        message = f"{where} is {value!r:.80}; expected a text, a number, true or false"
        raise refused_at(at, "HTTP_VALUE_INVALID", message)
    return json_text.write(value)


def _form(body: Json) -> bytes:
    if not isinstance(body, dict):
        message = f"a form is an object of fields, not {body!r:.80}"
        only = body[0] if isinstance(body, list) and len(body) == 1 else None
        # A template inside a list or a longer text makes no object of it.
        is_open = isinstance(body, str) and body.startswith("{{") and body.endswith("}}")
        raise refused_at(
            ("body",),
            "HTTP_BODY_INVALID",
            message,
            is_certain=not is_open,
            fix=only if isinstance(only, dict) else None,
        )
    fields = {
        name: [plain_value(one, "body", name) for one in _several(value)]
        for name, value in body.items()
        if value is not None
    }
    return urlencode(fields, doseq=True).encode()


def _raw(body: Json) -> Payload:
    kind: Json = "text/plain; charset=utf-8"
    if isinstance(body, dict):
        body, kind = body.get("text"), body.get("content_type", kind)
    if not isinstance(body, str) or not isinstance(kind, str):
        raise refused_at(
            ("body",),
            "HTTP_BODY_INVALID",
            f"a raw body is a text, not {body!r:.80}",
            hint='write the text, or {"text": "<a/>", "content_type": "text/xml"}',
        )
    return Payload(body.encode(), kind)


def _refuse_references(dynamic: JsonObject, field: str) -> None:
    """What comes in at run time may be anybody's: it must not ask for a secret."""
    if dynamic and "${vault:" in json_text.write(dynamic):
        raise refused_at(
            (field,),
            "HTTP_VALUE_INVALID",
            "a value that comes in at run time refers to the vault",
            hint="write the reference into headers or query_params of the node itself",
        )


def _several(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def names_a_key(headers: Mapping[str, Json]) -> bool:
    """Whether the author says by a header of their own that the other side knows repeats."""
    return any(name.lower() == "idempotency-key" for name in headers)
