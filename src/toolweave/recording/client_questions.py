"""Asks the person at an MCP client, in the way of its protocol era, what a tool wants to know.

2026-07-28: the result of the call says what input is required, and the client calls again with it.
Before: a request to the client while the call is open.
"""

import uuid
from typing import Any, cast

from mcp import types
from mcp.server import ServerRequestContext
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion

# Any: the lifespan and the request of a server's context.
Context = ServerRequestContext[Any, Any]
# The question in a result that requires input; there is one at a time.
_KEY = "question"


def can_be_asked(context: Context, question: ElicitationQuestion | None = None) -> bool:
    """Whether the client can show a question; by default a form."""
    capabilities = context.session.client_capabilities
    offered = capabilities.elicitation if capabilities else None
    if offered is None:
        return False
    # An empty declaration means forms; one that names only `url` does not.
    is_url = question is not None and question.url is not None
    return offered.url is not None if is_url else offered.form is not None or offered.url is None


def is_modern(context: Context) -> bool:
    """Whether questions are part of the result of a call."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def ask(context: Context, question: ElicitationQuestion) -> ElicitationAnswer:
    """Ask while the call is open."""
    session, request = context.session, context.request_id
    if question.url is not None:
        result = await session.elicit_url(question.message, question.url, _id(), request)
    else:
        schema = cast("types.ElicitRequestedSchema", question.schema or {})
        result = await session.elicit_form(question.message, schema, request)
    return _read(result)


def required(question: ElicitationQuestion, state: str) -> types.InputRequiredResult:
    """Return the result that asks; the client calls again with `state` and the answer."""
    params: types.ElicitRequestURLParams | types.ElicitRequestFormParams
    if question.url is not None:
        params = types.ElicitRequestURLParams(
            message=question.message, url=question.url, elicitation_id=_id()
        )
    else:
        schema = cast("types.ElicitRequestedSchema", question.schema or {})
        params = types.ElicitRequestFormParams(message=question.message, requested_schema=schema)
    return types.InputRequiredResult(
        input_requests={_KEY: types.ElicitRequest(params=params)}, request_state=state
    )


def answer_in(params: types.CallToolRequestParams) -> ElicitationAnswer:
    """Return the answer that a repeated call brings; nothing readable means a cancelled form."""
    found = (params.input_responses or {}).get(_KEY)
    return _read(found) if isinstance(found, types.ElicitResult) else ElicitationAnswer("cancel")


def _read(result: types.ElicitResult) -> ElicitationAnswer:
    return ElicitationAnswer(result.action, cast("Any", result.content))


def _id() -> str:
    return uuid.uuid4().hex
