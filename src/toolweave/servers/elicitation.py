"""A question of the protocol, put to whoever answers, and the answer put back into it."""

from typing import Any, cast

import mcp_types as types

from toolweave.errors import Denied, Invalid
from toolweave.json_text import JsonObject
from toolweave.servers.json_safety import unwritable
from toolweave.servers.questions import Asker, ElicitationQuestion

WEB = ("http://", "https://")


async def elicit(
    server: str, params: types.ElicitRequestParams, asker: Asker | None
) -> types.ElicitResult:
    """What the person answered.

    Raises:
        Denied: `CALL_NEEDS_ANSWER` when nobody is there to answer.
        Invalid: `MCP_ARGUMENTS_INVALID` for an answer that cannot be written as JSON.
    """
    if asker is None:
        raise Denied(
            "CALL_NEEDS_ANSWER",
            f"server {server!r} asks {params.message[:200]!r} and nobody can answer here",
            hint="call the tool from a terminal or from a client that shows questions",
        )
    question = _question(server, params)
    if question is None:
        return types.ElicitResult(action="decline")
    answer = await asker(question)
    if problems := unwritable(answer.content):
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
    # Other schemes start programs on the machine of whoever opens them.
    is_safe = params.url.lower().startswith(WEB)
    return ElicitationQuestion(server, params.message, url=params.url) if is_safe else None
