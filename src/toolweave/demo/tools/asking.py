"""`ask`: puts a question to the person at the client, in whichever way its protocol era has.

2026-07-28: the result says what input is required and the client calls again with the answers.
Before: the server sends the client a request of its own while the call is open.
"""

import hashlib
from typing import Annotated, Literal

from mcp import types
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field, ValidationError

from toolweave.demo.tool import (
    Answer,
    DemoCall,
    DemoModel,
    DemoTool,
    error_result,
    structured_result,
)

_KEY = "person"

_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 200},
        "confirmed": {"type": "boolean", "title": "Yes, go on", "default": True},
    },
    "required": ["name"],
}


class AskArguments(DemoModel):
    """What `ask` takes."""

    question: Annotated[
        str, Field(description="What the person is asked.", min_length=1, max_length=2000)
    ] = "What is your name?"


class DemoReply(DemoModel):
    """What the person fills in."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    confirmed: bool = True


class AskResult(DemoModel):
    """What `ask` gives."""

    action: Annotated[
        Literal["accept", "decline", "cancel"], Field(description="What the person did.")
    ]
    name: str | None
    confirmed: bool | None


async def _ask(arguments: AskArguments, call: DemoCall) -> Answer:
    if not _can_ask(call):
        return error_result(
            "this client did not declare form elicitation, so nobody can be asked; "
            "use a client that supports it"
        )
    if call.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return _ask_by_result(arguments, call)
    result = await call.context.session.elicit_form(
        arguments.question, _FORM, related_request_id=call.context.request_id
    )
    return _conclude(result)


def _can_ask(call: DemoCall) -> bool:
    capabilities = call.context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    # An empty declaration means forms; one that names only `url` does not.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _ask_by_result(arguments: AskArguments, call: DemoCall) -> Answer:
    # Names the question, so that an answer to another one is noticed. It is no secret and holds
    # no data, hence unsealed: a person may answer after this server was restarted.
    state = "ask-" + hashlib.sha256(arguments.question.encode()).hexdigest()[:32]
    responses = call.params.input_responses
    if responses is None or _KEY not in responses:
        form = types.ElicitRequestFormParams(message=arguments.question, requested_schema=_FORM)
        return types.InputRequiredResult(
            input_requests={_KEY: types.ElicitRequest(params=form)}, request_state=state
        )
    if call.params.request_state != state:
        return error_result("the answer belongs to another question; call `ask` again without it")
    response = responses[_KEY]
    if not isinstance(response, types.ElicitResult):
        return error_result(f"the answer {_KEY!r} is not the result of an elicitation")
    return _conclude(response)


def _conclude(result: types.ElicitResult) -> types.CallToolResult:
    if result.action != "accept":
        return structured_result(AskResult(action=result.action, name=None, confirmed=None))
    try:
        reply = DemoReply.model_validate(result.content)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(step) for step in fault['loc']) or 'content'}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        return error_result(f"the client's answer does not fit the form: {faults}")
    return structured_result(AskResult(action="accept", name=reply.name, confirmed=reply.confirmed))


TOOLS = (
    DemoTool(
        name="ask",
        title="Ask the person",
        description="Ask the person at the client for a name and a confirmation, and return what "
        "they did. Needs a client with elicitation.",
        takes=AskArguments,
        gives=AskResult,
        run=_ask,
        annotations=types.ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=False,  # people change their minds
            open_world_hint=True,
        ),
    ),
)
