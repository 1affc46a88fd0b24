"""What a server offers beside its tools, as records: resources, templates, prompts.

Read from what the server sent, which is not trusted: an entry without its name is left out.
"""

import base64
from collections.abc import Mapping
from typing import Any, Self, cast

from toolweave.json_record import JsonRecord
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.gate import Gate
from toolweave.tools.tool import Content, content_call

NAME_CHARACTERS = 2_000
TEXT_CHARACTERS = 4_000


class ResourceRecord(JsonRecord):
    """A resource of a server."""

    uri: str
    name: str
    title: str | None
    description: str | None
    mime_type: str | None
    size: int | None


class ResourceTemplateRecord(JsonRecord):
    """A template of resource addresses, with `{variables}`."""

    uri_template: str
    name: str
    title: str | None
    description: str | None
    mime_type: str | None


class PromptArgumentRecord(JsonRecord):
    """An argument of a prompt."""

    name: str
    description: str | None
    required: bool


class PromptRecord(JsonRecord):
    """A prompt of a server."""

    name: str
    title: str | None
    description: str | None
    arguments: list[PromptArgumentRecord]


class ContentBlockRecord(JsonRecord):
    """A part of what was read: text, or bytes in base64."""

    type: str
    text: str | None
    data: str | None
    mime_type: str | None
    uri: str | None

    @classmethod
    def read(cls, block: Content) -> Self:
        """Read a block of a result."""
        data = base64.b64encode(block.data).decode() if block.data is not None else None
        return cls(
            type=block.kind, text=block.text, data=data, mime_type=block.mime_type, uri=block.uri
        )


class ServerResources(JsonRecord):
    """The resources of a server."""

    resources: list[ResourceRecord]
    templates: list[ResourceTemplateRecord]


class ServerPrompts(JsonRecord):
    """The prompts of a server."""

    prompts: list[PromptRecord]


async def list_resources(gate: Gate, server: str) -> ServerResources:
    """Ask a server for its resources. Raises what a call raises."""
    result = await gate.call(content_call(server, "resources/list"))
    found = cast("dict[str, Any]", result.structured)
    return ServerResources(
        resources=[_resource(one) for one in _named(found, "resources", "uri")],
        templates=[_template(one) for one in _named(found, "templates", "uriTemplate")],
    )


async def list_prompts(gate: Gate, server: str) -> ServerPrompts:
    """Ask a server for its prompts. Raises what a call raises."""
    result = await gate.call(content_call(server, "prompts/list"))
    found = cast("dict[str, Any]", result.structured)
    return ServerPrompts(prompts=[_prompt(one) for one in _named(found, "prompts", "name")])


# Any: what a server sent.
_Entry = Mapping[str, Any]


def _named(found: _Entry, kind: str, name: str) -> list[_Entry]:
    return [
        cast("_Entry", entry)
        for entry in found.get(kind, [])
        if isinstance(entry, dict) and isinstance(cast("_Entry", entry).get(name), str)
    ]


def _text(entry: _Entry, name: str, most: int = TEXT_CHARACTERS) -> str | None:
    value = entry.get(name)
    return printable(value, most) if isinstance(value, str) and value else None


def _resource(entry: _Entry) -> ResourceRecord:
    size = entry.get("size")
    return ResourceRecord(
        uri=printable(entry["uri"], NAME_CHARACTERS),
        name=_text(entry, "name") or printable(entry["uri"], NAME_CHARACTERS),
        title=_text(entry, "title"),
        description=_text(entry, "description"),
        mime_type=_text(entry, "mimeType", 200),
        size=size if isinstance(size, int) and size >= 0 else None,
    )


def _template(entry: _Entry) -> ResourceTemplateRecord:
    uri = printable(entry["uriTemplate"], NAME_CHARACTERS)
    return ResourceTemplateRecord(
        uri_template=uri,
        name=_text(entry, "name") or uri,
        title=_text(entry, "title"),
        description=_text(entry, "description"),
        mime_type=_text(entry, "mimeType", 200),
    )


def _prompt(entry: _Entry) -> PromptRecord:
    arguments = entry.get("arguments")
    known = cast("list[object]", arguments) if isinstance(arguments, list) else []
    listed: _Entry = {"arguments": known}
    return PromptRecord(
        name=printable(entry["name"], NAME_CHARACTERS),
        title=_text(entry, "title"),
        description=_text(entry, "description"),
        arguments=[
            PromptArgumentRecord(
                name=printable(one["name"], NAME_CHARACTERS),
                description=_text(one, "description"),
                required=one.get("required") is True,
            )
            for one in _named(listed, "arguments", "name")
        ],
    )
