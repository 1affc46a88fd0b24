"""What can be done in Notion, as a fixed set of operations: for a model, or written as JSON.

An operation may only name pages and databases that the node was given, or that Notion
returned before: a model cannot invent ids.
"""

from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.resources.model import ModelTool
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import ServiceClient
from toolweave.nodes.services._operation import missing
from toolweave.nodes.services._overrides import objects, record
from toolweave.nodes.services.notion.api import (
    CALLS,
    blocks,
    properties,
    rich,
    text_of,
    title_of,
    titled,
)
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean

MAX_ROWS = 100
_TEXT: JsonObject = {"type": "string"}
_VALUES: JsonObject = {
    "type": "object",
    "description": "Plain values by property name; they are converted by the database's schema.",
}
_ID = pattern(r"[0-9a-f]{32}")
_WRITES = frozenset({"create_page", "update_page", "append_text", "add_comment"})
_OF_PAGES = frozenset({"search", "get_page", "read_page", "append_text", "add_comment",
                       "create_page", "update_page"})  # fmt: skip
_OF_DATABASES = frozenset(
    {"search", "get_database", "query_database", "create_page", "update_page", "get_page"}
)


def _offer(name: str, description: str, needed: tuple[str, ...], **fields: JsonObject) -> ModelTool:
    shape: JsonObject = {
        "type": "object",
        "properties": {**fields},
        "required": [*needed],
        "additionalProperties": False,
    }
    return ModelTool(name=name, description=description, parameters=shape)


OFFERS = (
    _offer("search", "Find pages or databases by words of their title.", ("query",), query=_TEXT,
           kind={"type": "string", "enum": ["page", "database"]}),
    _offer("get_database", "A database's properties and their types.", ("database_id",),
           database_id=_TEXT),
    _offer("query_database", "Rows of a database; filter and sorts in Notion's own form.",
           ("database_id",), database_id=_TEXT, filter={"type": "object"},
           sorts={"type": "array"}, limit={"type": "integer", "minimum": 1, "maximum": MAX_ROWS}),
    _offer("create_page", "A new row of a database, or a new page below a page.", (),
           database_id=_TEXT, page_id=_TEXT, title=_TEXT, values=_VALUES,
           text={"type": "string", "description": "Lines of text or simple Markdown."}),
    _offer("get_page", "A page's properties.", ("page_id",), page_id=_TEXT),
    _offer("update_page", "Change properties of a page, or archive it.", ("page_id",),
           page_id=_TEXT, values=_VALUES, archived={"type": "boolean"}),
    _offer("read_page", "The text of a page.", ("page_id",), page_id=_TEXT),
    _offer("append_text", "Add lines at a page's end, or below one of its headings.",
           ("page_id", "text"), page_id=_TEXT, text=_TEXT, under_heading=_TEXT),
    _offer("add_comment", "Comment on a page.", ("page_id", "text"), page_id=_TEXT, text=_TEXT),
)  # fmt: skip


def offers_for(operation_type: str) -> tuple[ModelTool, ...]:
    """What may be done where the instruction is about databases, pages or both."""
    allowed = {"database": _OF_DATABASES, "page": _OF_PAGES}.get(
        operation_type, _OF_DATABASES | _OF_PAGES
    )
    return tuple(offer for offer in OFFERS if offer.name in allowed)


@dataclass
class NotionWork:
    """Operations done so far, and what they came upon."""

    notion: ServiceClient
    database_id: str = ""
    page_id: str = ""
    # Names and ids that Notion returned.
    discovered: JsonObject = field(default_factory=dict[str, Json])
    seen: set[str] = field(default_factory=set[str])
    completed: list[Json] = field(default_factory=list[Json])
    result: JsonObject = field(default_factory=dict[str, Json])

    def __post_init__(self) -> None:
        self.seen |= {plain_id(one) for one in (self.database_id, self.page_id) if one}

    async def do(self, name: str, given: JsonObject) -> Json:
        """Perform one operation; return its result, short enough for a model."""
        if name not in CALLS:
            raise _unknown(name)
        wanted = self._allowed(name, given)
        told = (await self.notion.do(name, CALLS[name], await self._filled(name, wanted))).record
        found = [one for one in (*objects(told.get("results")), told) if one.get("id")]
        for one in found:
            self._note(one)
        if name in _WRITES or not self.result:
            self.result = told if told.get("id") else (found[0] if found else self.result)
        self.completed.append(name)
        return _short(name, told)

    def _allowed(self, name: str, given: JsonObject) -> JsonObject:
        """The operation with the ids it is about."""
        wanted = dict(given)
        if "database" in name and not wanted.get("database_id"):
            wanted["database_id"] = self.database_id or None
        elif name not in {"search", "create_page"} and not wanted.get("page_id"):
            wanted["page_id"] = self.page_id or None
        elif name == "create_page" and not (wanted.get("database_id") or wanted.get("page_id")):
            key = "database_id" if self.database_id else "page_id"
            wanted[key] = self.database_id or self.page_id or None
        for key in ("database_id", "page_id"):
            identity = wanted.get(key)
            if isinstance(identity, str) and plain_id(identity) not in self.seen:
                raise Invalid(
                    "SERVICE_FIELD_INVALID",
                    f"{key} {identity!r:.60} is neither configured nor found by a search",
                    hint="search for it first",
                    facts={"field": "instruction"},
                )
        return wanted

    async def _filled(self, name: str, wanted: JsonObject) -> JsonObject:
        match name:
            case "search":
                kind = wanted.get("kind")
                chosen: JsonObject | None = {"property": "object", "value": kind} if kind else None
                return {**wanted, "filter": chosen, "page_size": 20}
            case "query_database":
                return {**wanted, "page_size": wanted.get("limit") or MAX_ROWS}
            case "read_page":
                return {**wanted, "page_size": MAX_ROWS}
            case "create_page":
                return await self._new_page(wanted)
            case "update_page":
                values = record(wanted.get("values"))
                changed = await self._of_page(wanted, values) if values else None
                return {**wanted, "properties": changed}
            case "append_text":
                lines: Json = blocks(_words(wanted, name))
                return {**wanted, "children": lines, "after": await self._heading(wanted)}
            case "add_comment":
                about: JsonObject = {"page_id": wanted.get("page_id")}
                return {"parent": about, "rich_text": rich(_words(wanted, name))}
            case _:
                return wanted

    async def _new_page(self, wanted: JsonObject) -> JsonObject:
        text, title = wanted.get("text"), wanted.get("title")
        lines = blocks(text) if isinstance(text, str) and text else None
        if wanted.get("database_id"):
            values: JsonObject = {**({"title": title} if title else {}),
                                  **record(wanted.get("values"))}  # fmt: skip
            found = properties(await self._schema(wanted), values)
            parent: JsonObject = {"database_id": wanted["database_id"]}
            return {"parent": parent, "properties": found, "children": lines}
        if not wanted.get("page_id"):
            raise missing("database_id", "create_page")
        if not isinstance(title, str) or not title:
            raise missing("title", "create_page")
        below: JsonObject = {"page_id": wanted["page_id"]}
        return {"parent": below, "properties": titled(title), "children": lines}

    async def _of_page(self, wanted: JsonObject, values: JsonObject) -> JsonObject:
        """Changed properties; their types are told by the page itself."""
        page = (await self.notion.do("get_page", CALLS["get_page"], wanted)).record
        return properties(record(page.get("properties")), values)

    async def _schema(self, wanted: JsonObject) -> JsonObject:
        told = (await self.notion.do("get_database", CALLS["get_database"], wanted)).record
        self._note(told)
        return record(told.get("properties"))

    async def _heading(self, wanted: JsonObject) -> Json:
        heading = wanted.get("under_heading")
        if not isinstance(heading, str) or not heading:
            return None
        asked: JsonObject = {"page_id": wanted.get("page_id"), "page_size": MAX_ROWS}
        told = (await self.notion.do("read_page", CALLS["read_page"], asked)).record
        for block in objects(told.get("results")):
            is_heading = str(block.get("type")).startswith("heading_")
            if is_heading and text_of(block).strip().casefold() == heading.strip().casefold():
                return block.get("id")
        raise Invalid("SERVICE_FIELD_INVALID", f"the page has no heading {heading!r:.80}")

    def _note(self, thing: JsonObject) -> None:
        if thing.get("object") in {"page", "database"} and isinstance(thing.get("id"), str):
            identity = str(thing["id"])
            self.seen.add(plain_id(identity))
            self.discovered[title_of(thing) or identity] = identity


def plain_id(identity: str) -> str:
    """An id as it is compared: without dashes, also out of an address."""
    found = _ID.findall(identity.replace("-", "").lower())
    return found[-1] if found else identity


def read_plan(instruction: str, context: JsonObject) -> list[tuple[str, JsonObject]]:
    """An instruction that needs no model: JSON, or a few plain verbs."""
    text = instruction.strip()
    if text.startswith(("{", "[")):
        return _steps(text)
    # A colon tells a form from a sentence: "Add a page about it" is for a model to understand.
    verb, _, rest = text.partition(":")
    words = rest.strip()
    match verb.strip().lower():
        case "search" | "find" if words:
            return [("search", {"query": words})]
        case "query" | "list" if not words:
            return [("query_database", {})]
        case "append" if words or context.get("text"):
            return [("append_text", {"text": words or context.get("text")})]
        case "add" | "create" if words or context:
            title: JsonObject = {"title": words} if words else {}
            return [("create_page", {**title, "values": context})]
        case "update" | "set" if context and not words:
            return [("update_page", {"values": context})]
        case "read" if not words:
            return [("read_page", {})]
        case "archive" if not words:
            return [("update_page", {"archived": True})]
        case "comment" if words:
            return [("add_comment", {"text": words})]
        case _:
            raise Unavailable(
                "MODEL_NEEDED",
                "an instruction in plain words needs a model, and none is configured",
                hint='add one with `toolweave models add`, or write the instruction as JSON: '
                '{"operation": "append_text", "text": "Done."}',
            )  # fmt: skip


def is_structured(instruction: str) -> bool:
    """Whether an instruction is JSON, which no model has to read."""
    return instruction.strip().startswith(("{", "["))


def _steps(text: str) -> list[tuple[str, JsonObject]]:
    try:
        given = json_text.read(text)
    except Invalid as error:
        raise refused_at(("instruction",), error.code, error.message) from None
    return [_step(one) for one in (given if isinstance(given, list) else [given])]


def _step(given: Json) -> tuple[str, JsonObject]:
    step = record(given)
    name = step.get("operation")
    if not isinstance(name, str):
        raise missing("instruction.operation", "the instruction")
    if name not in CALLS:
        raise _unknown(name)
    return name, {key: one for key, one in step.items() if key != "operation"}


def _unknown(name: str) -> Invalid:
    message = f"Notion has no operation {name!r} here"
    hint = did_you_mean(name, CALLS) or f"use one of {', '.join(CALLS)}"
    return refused_at(("instruction",), "SERVICE_OPERATION_UNKNOWN", message, hint=hint)


def _words(wanted: JsonObject, name: str) -> str:
    text = wanted.get("text")
    if not isinstance(text, str) or not text.strip():
        raise missing("text", name)
    return text


def _short(name: str, told: JsonObject) -> Json:
    if name == "read_page":
        return [text_of(block) for block in objects(told.get("results"))]
    if name == "get_database":
        held = record(told.get("properties"))
        return {"id": told.get("id"), "properties": {key: _kind(one) for key, one in held.items()}}
    listed = objects(told.get("results"))
    if name in {"search", "query_database"}:
        return [_line(one) for one in listed]
    return _line(told)


def _line(thing: JsonObject) -> JsonObject:
    line: JsonObject = {key: thing[key] for key in ("object", "id", "url") if key in thing}
    held = record(thing.get("properties"))
    if thing.get("object") == "page":
        line["properties"] = {
            key: one.get(str(one.get("type"))) for key, one in held.items() if isinstance(one, dict)
        }
    return {**line, "title": title_of(thing)}


def _kind(schema: Json) -> Json:
    one = record(schema)
    kind = str(one.get("type"))
    options = [str(each.get("name")) for each in objects(record(one.get(kind)).get("options"))]
    return f"{kind}: {', '.join(options)}" if options else kind
