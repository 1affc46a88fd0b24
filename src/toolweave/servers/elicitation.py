"""Convert an MCP elicitation request to a question, and the answer to its result."""

from dataclasses import replace
from typing import Any, cast

import mcp_types as types

from toolweave.errors import Denied, Invalid
from toolweave.json_text import JsonObject
from toolweave.servers.json_safety import find_unencodable
from toolweave.tools.elicitation import Asker, ElicitationQuestion

WEB = ("http://", "https://")


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
    if question is None:
        return types.ElicitResult(action="decline")
    answer = await asker(replace(question, is_repeatable=is_repeatable))
    if problems := find_unencodable(answer.content):
        raise Invalid(
            "MCP_ARGUMENTS_INVALID",
            f"the answer to {params.message[:200]!r} cannot be written as JSON",
            problems=problems,
        )
    content = cast("dict[str, Any] | None", answer.content)
    return types.ElicitResult(action=answer.action, content=content)


def _question(server: str, params: types.ElicitRequestParams) -> ElicitationQuestion | None:
    if isinstance(params, types.ElicitRequestFormParams):
        return ElicitationQuestion(
            server, params.message, schema=cast("JsonObject", params.requested_schema)
        )
    # Other schemes can start programs on the user's machine.
    is_safe = params.url.lower().startswith(WEB)
    return ElicitationQuestion(server, params.message, url=params.url) if is_safe else None
