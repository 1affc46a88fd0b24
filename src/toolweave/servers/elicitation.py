"""Convert an MCP elicitation request to a question, and the answer to its result."""

from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

import mcp_types as types

from toolweave.errors import Denied, Invalid
from toolweave.json_text import JsonObject
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
    return types.ElicitResult(action=answer.action, content=content)


def _question(server: str, params: types.ElicitRequestParams) -> ElicitationQuestion:
    # No character may hide, reorder or erase what a person reads.
    lines = params.message.splitlines()
    message = "\n".join(printable(line, MESSAGE_CHARACTERS) for line in lines)
    message = message[:MESSAGE_CHARACTERS]
    if isinstance(params, types.ElicitRequestFormParams):
        schema = cast("JsonObject", params.requested_schema)
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
