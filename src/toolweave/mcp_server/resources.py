"""The catalog as resources: `toolweave://catalog/types`, `…/FLOW` and `…/FLOW/IF`.

A node's name is percent-encoded in its URI, as names of live tools contain `:` and `/`.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.catalog.corrections import UnknownName, correct
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.serialise import serialise
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject

PREFIX = "toolweave://catalog/"
TYPES = PREFIX + "types"
TEMPLATE = PREFIX + "{node_type}/{subtype}"

PAGE = 200
MAX_CURSOR = 10
MAX_COMPLETIONS = 100
_JSON = "application/json"


def address(spec: NodeSpec) -> str:
    """The URI of a node's specification."""
    return f"{PREFIX}{spec.type}/{quote(spec.subtype, safe='')}"


Entry = str | NodeSpec | types.Resource


def entries(knowledge: Knowledge) -> list[Entry]:
    """The whole catalog, each type and each node."""
    return [TYPES, *knowledge.catalog.types(), *knowledge.catalog]


def page_start(cursor: str | None, total: int) -> int:
    """Where a page begins.

    Raises:
        MCPError: the cursor is invalid.
    """
    if cursor is None:
        return 0
    # Short before it is read: a number of thousands of digits is none of ours.
    is_number = len(cursor) < MAX_CURSOR and cursor.isascii() and cursor.isdecimal()
    start = int(cursor) if is_number else 0
    if not 0 < start < total:
        raise MCPError(types.INVALID_PARAMS, "invalid cursor; list from the start")
    return start


def page(entries: Sequence[Entry], cursor: str | None) -> types.ListResourcesResult:
    """One page of all resources.

    Raises:
        MCPError: the cursor is invalid.
    """
    start = page_start(cursor, len(entries))
    end = start + PAGE
    return types.ListResourcesResult(
        resources=[_resource(entry) for entry in entries[start:end]],
        next_cursor=str(end) if end < len(entries) else None,
    )


def template() -> types.ResourceTemplate:
    """The template for a node's specification."""
    return types.ResourceTemplate(
        uri_template=TEMPLATE,
        name="node-spec",
        title="One node's specification",
        mime_type=_JSON,
    )


def read(knowledge: Knowledge, uri: str) -> JsonObject:
    """Read the resource at `uri`.

    Raises:
        MCPError: there is none; the message suggests a close name.
    """
    if uri == TYPES:
        return {name: list(subtypes) for name, subtypes in knowledge.types().items()}
    node_type, slash, subtype = uri.removeprefix(PREFIX).partition("/")
    if not uri.startswith(PREFIX) or not node_type:
        raise _no_resource(uri)
    if not slash:
        found = knowledge.catalog.types(node_type)
        if not found:
            raise _no_resource(uri)
        return {node_type: list(found[node_type])}
    spec = knowledge.catalog.get(node_type, unquote(subtype))
    if spec is None:
        raise _no_resource(uri, _close(knowledge, node_type, unquote(subtype)))
    return serialise(spec)


def complete(knowledge: Knowledge, params: types.CompleteRequestParams) -> types.Completion:
    """Complete types and subtypes.

    Raises:
        MCPError: there is no such template, or it has no such argument.
    """
    ref, argument = params.ref, params.argument
    if not isinstance(ref, types.ResourceTemplateReference) or ref.uri != TEMPLATE:
        raise MCPError(types.INVALID_PARAMS, f"completion supports only the template {TEMPLATE!r}")
    known = knowledge.catalog.types()
    given = (params.context.arguments if params.context else None) or {}
    match argument.name:
        case "node_type":
            candidates = list(known)
        case "subtype" if node_type := given.get("node_type"):
            candidates = known.get(node_type.upper(), [])
        case "subtype":
            candidates = [name for names in known.values() for name in names]
        case _:
            raise MCPError(types.INVALID_PARAMS, f"{TEMPLATE!r} has only node_type and subtype")
    return completed(candidates, argument.value)


def completed(candidates: Iterable[str], value: str) -> types.Completion:
    """The candidates that begin with what is typed."""
    typed = value.casefold()
    found = [name for name in candidates if name.casefold().startswith(typed)]
    values = found[:MAX_COMPLETIONS]
    return types.Completion(values=values, total=len(found), has_more=len(found) > len(values))


def _resource(entry: Entry) -> types.Resource:
    """The resource for all types, one type or one node."""
    if isinstance(entry, types.Resource):
        return entry
    if isinstance(entry, NodeSpec):
        text = entry.summary[:200]
        return types.Resource(uri=address(entry), name=entry.ref, description=text, mime_type=_JSON)
    if entry == TYPES:
        return types.Resource(uri=TYPES, name="types", title="All node types", mime_type=_JSON)
    title = f"The {entry} nodes"
    return types.Resource(uri=PREFIX + entry, name=entry, title=title, mime_type=_JSON)


def _close(knowledge: Knowledge, node_type: str, subtype: str) -> str | None:
    """Suggest the URI of a close name; a URI never resolves to another node."""
    found = correct(knowledge.catalog, node_type, subtype)
    return (
        found.hint if isinstance(found, UnknownName) else f"did you mean {address(found.spec)!r}?"
    )


def _no_resource(uri: str, hint: str | None = None) -> MCPError:
    message = f"no resource {uri[:200]!r}; {hint or '`resources/list` lists the URIs'}"
    return MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:2000]})
