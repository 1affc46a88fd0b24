"""Convert an MCP elicitation request to a question, and the answer to its result."""

from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

import mcp_types as types
from pydantic import ValidationError

from toolweave.errors import Denied, Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.servers.disconnect_reason import printable
from toolweave.servers.json_safety import find_unencodable
from toolweave.tools.elicitation import Asker, ElicitationQuestion

WEB = ("http", "https")
MESSAGE_CHARACTERS = 10_000


async def elicit(
    server: str,
    params: types.ElicitRequestParams,
    asker: Asker | None,
    *,
    is_repeatable: bool = False,
) -> types.ElicitResult:
    """Ask the question and return the answer."""
    if asker is None:
        raise Denied(
            "CALL_NEEDS_ANSWER",
            f"server {server!r} asks {params.message[:200]!r}, but nobody can answer here",
            hint="call the tool from a terminal or a client that supports elicitation",
        )
    question = _question(server, params)
    answer = await asker(replace(question, is_repeatable=is_repeatable))
    if problems := find_unencodable(answer.content):
        raise Invalid(
            "MCP_ARGUMENTS_INVALID",
            f"the answer to {params.message[:200]!r} cannot be written as JSON",
            problems=problems,
        )
    content = cast("dict[str, Any] | None", answer.content)
    try:
        return types.ElicitResult(action=answer.action, content=content)
    except ValidationError:
        raise Invalid(
            "MCP_ARGUMENTS_INVALID",
            f"the answer to {params.message[:200]!r} has a field that is no single value",
            hint="answer with texts, numbers, yes or no, and lists of texts",
        ) from None


def _question(server: str, params: types.ElicitRequestParams) -> ElicitationQuestion:
    # No character may hide, reorder or erase what a person reads.
    lines = params.message.splitlines()
    message = "\n".join(printable(line, MESSAGE_CHARACTERS) for line in lines)
    message = message[:MESSAGE_CHARACTERS]
    if isinstance(params, types.ElicitRequestFormParams):
        schema = cast("JsonObject", params.requested_schema)
        if (nested := _nested_field(schema)) is not None:
            raise Denied(
                "CALL_QUESTION_REFUSED",
                f"server {server!r} asks for {printable(nested, 200)!r}, which is no single value",
                hint="servers can ask for texts, numbers, yes or no, and choices",
            )
        return ElicitationQuestion(server, message, schema=schema)
    if not _shows_where_it_leads(params.url):
        shown = printable(params.url, 200)
        raise Denied(
            "CALL_QUESTION_REFUSED",
            f"server {server!r} asks to open {shown!r}, which is no address that a person can be "
            "asked to open",
            hint="only http(s) addresses with a host, and without a user name, are shown to people",
        )
    return ElicitationQuestion(server, message, url=params.url)


def _nested_field(schema: JsonObject) -> str | None:
    """The first field that no answer of this protocol can hold; none if there is no such field."""
    fields = schema.get("properties")
    for name, field in fields.items() if isinstance(fields, dict) else ():
        inner = field.get("items") if isinstance(field, dict) else None
        if not isinstance(field, dict) or _is_nested(field) or (inner and _is_nested(inner)):
            return name
    return None


def _is_nested(field: Json) -> bool:
    is_reference = isinstance(field, dict) and ("$ref" in field or "properties" in field)
    return not isinstance(field, dict) or is_reference or field.get("type") == "object"


def _shows_where_it_leads(url: str) -> bool:
    """Whether it is a web address whose host can be seen.

    Other schemes can start programs on the user's machine; a user name can look like a host.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_plain = url.isprintable() and not any(character.isspace() for character in url)
    return is_plain and parts.scheme in WEB and bool(parts.hostname) and "@" not in parts.netloc
