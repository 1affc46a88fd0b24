"""Notion's API: its calls as data, how it says no, and values of a page in Notion's own form."""

import re
from collections.abc import Mapping

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, get, invalid, patch, post
from toolweave.nodes.services._overrides import objects, record
from toolweave.patterns import pattern

MAX_TEXT = 2000
MAX_BLOCKS = 100
_LISTS = frozenset({"multi_select", "people", "relation"})
_PLAIN = frozenset({"number", "checkbox", "url", "email", "phone_number"})
_LINE = pattern(r"(#{1,3}) (.*)|[-*] \[([ xX])\] (.*)|[-*] (.*)|\d+[.)] (.*)", re.DOTALL)


def _failure(response: Response, value: Json) -> Failure | None:
    told = record(value)
    words = ": ".join(str(told[name]) for name in ("code", "message") if told.get(name))
    return http_failure(response, words)


NOTION = Service(
    kind="notion",
    title="Notion",
    address="https://api.notion.com/v1",
    failure=_failure,
    headers={"authorization": "Bearer {token}", "notion-version": "2022-06-28"},
    whoami=("GET", "/users/me"),
    who=("name", "bot.workspace_name"),
)

CALLS: dict[str, Action] = {
    "search": Action("POST", "/search", "query filter page_size", is_repeatable=True),
    "get_database": get("/databases/{database_id}"),
    "query_database": Action(
        "POST", "/databases/{database_id}/query", "filter sorts page_size", is_repeatable=True
    ),
    "create_page": post("/pages", "parent! properties! children"),
    "get_page": get("/pages/{page_id}"),
    "update_page": patch("/pages/{page_id}", "properties archived"),
    "read_page": get("/blocks/{page_id}/children", "page_size"),
    "append_text": Action("PATCH", "/blocks/{page_id}/children", "children! after"),
    "add_comment": post("/comments", "parent! rich_text!"),
}


def rich(text: str) -> list[Json]:
    """A text as Notion has it, in pieces it takes."""
    pieces = [text[at : at + MAX_TEXT] for at in range(0, len(text), MAX_TEXT)]
    return [{"type": "text", "text": {"content": piece}} for piece in pieces]


def blocks(text: str) -> list[Json]:
    """Return lines of plain text or simple Markdown as blocks. Raises `SERVICE_FIELD_INVALID`."""
    found = [_block(line) for line in text.split("\n") if line.strip()]
    if len(found) > MAX_BLOCKS:
        raise invalid("text", f"has {len(found)} lines; at most {MAX_BLOCKS} are taken at once")
    return [*found]


def properties(schema: JsonObject, values: JsonObject) -> JsonObject:
    """Return plain values as properties of a database. Raises `SERVICE_FIELD_INVALID`."""
    known = {name.casefold(): name for name in schema}
    title = next((name for name, one in schema.items() if _type(one) == "title"), None)
    found: JsonObject = {}
    for given, value in values.items():
        name = known.get(given.casefold())
        if name is None and given.casefold() in {"title", "name"}:
            name = title
        if name is None:
            names = ", ".join(sorted(schema))
            raise invalid(given, f"is no property of the database, which has {names}")
        kind = _type(schema[name])
        found[name] = value if _is_notions(value, kind) else {kind: _value(kind, value)}
    return found


def titled(text: str) -> JsonObject:
    """The properties of a page that is in no database."""
    return {"title": {"title": rich(text)}}


def title_of(thing: JsonObject) -> str:
    """The name of a page or a database."""
    own = thing.get("title")
    if not isinstance(own, list):
        held = record(thing.get("properties")).values()
        own = next((record(one).get("title") for one in held if _type(one) == "title"), None)
    return "".join(str(one.get("plain_text") or _content(one)) for one in objects(own))


def text_of(block: JsonObject) -> str:
    """The text of a block."""
    held = record(block.get(str(block.get("type"))))
    return "".join(
        str(one.get("plain_text") or _content(one)) for one in objects(held.get("rich_text"))
    )


def _content(one: JsonObject) -> str:
    return str(record(one.get("text")).get("content") or "")


def _type(schema: Json) -> str:
    return str(record(schema).get("type") or "")


def _is_notions(value: Json, kind: str) -> bool:
    """Whether somebody wrote it in Notion's form already."""
    return isinstance(value, dict) and kind in value


def _value(kind: str, value: Json) -> Json:
    if value is None or kind in _PLAIN:
        return value
    if kind in {"title", "rich_text"}:
        return rich(_text(value))
    if kind in {"select", "status"}:
        return {"name": _text(value)}
    if kind in _LISTS:
        key = "name" if kind == "multi_select" else "id"
        listed = value if isinstance(value, list) else [value]
        return [one if isinstance(one, dict) else {key: _text(one)} for one in listed]
    if kind == "date":
        return value if isinstance(value, dict) else {"start": _text(value)}
    raise invalid(kind, "is a kind of property that cannot be written")


def _text(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return value if isinstance(value, str) else str(value)


def _block(line: str) -> JsonObject:
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return _made("paragraph", line.strip())
    if found[1]:
        return _made(f"heading_{len(found[1])}", found[2])
    if found[3]:
        return _made("to_do", found[4], checked=found[3] != " ")
    if found[5] is not None:
        return _made("bulleted_list_item", found[5])
    return _made("numbered_list_item", found[6])


def _made(kind: str, text: str, **more: Json) -> JsonObject:
    held: Mapping[str, Json] = {"rich_text": rich(text), **more}
    return {"object": "block", "type": kind, kind: dict(held)}
