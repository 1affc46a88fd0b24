"""Request bodies: unknown fields, duplicate keys and deep nesting are refused with their place.

FastAPI's own body parsing is not used: it reads the body before the key is checked, accepts
duplicate keys and has no depth limit.
"""

from functools import partial
from itertools import islice
from typing import Any, Self, cast

from anyio.to_thread import run_sync
from fastapi import Request
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictInt,
    StrictStr,
    ValidationError,
)

from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject, read
from toolweave.problems import Problem, pointer

RPC_METHOD = "tools/call"
MAX_DEPTH = 64
# A workflow may be 116 levels deep, inside a field of the body.
MAX_MODEL_DEPTH = 120
MAX_PROBLEMS = 50
# From this size on, a body is parsed in a thread.
LARGE_BYTES = 64 * 1024
# Pydantic puts this before the message of our own validators.
_OURS = "Value error, "
_HINT = 'send {"name": "get_node_types", "arguments": {}}'


class RequestBody(BaseModel):
    """A JSON body; unknown fields and values of a different type are refused.

    A handler declares it as `body: Annotated[Model, Depends(Model.read)]`.
    """

    # Most processes read few of all bodies.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    async def read(cls, request: Request) -> Self:
        """Read the body of a request.

        Raises:
            Invalid: `BODY_INVALID` with every problem, and the errors of `read_body`.
        """
        content = await read_body(request, max_depth=MAX_MODEL_DEPTH)
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise _body_invalid(cls, error) from None


class Invocation(RequestBody):
    """A tool call."""

    name: str = Field(min_length=1, max_length=200, description="The tool's name")
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its arguments")


class RpcInvocation(RequestBody):
    """A tool call as a JSON-RPC 2.0 request."""

    jsonrpc: str = Field(pattern=r"^2\.0$")
    id: StrictStr | StrictInt | None = None
    method: str = Field(pattern=f"^{RPC_METHOD}$")
    params: Invocation


def one_of(**kinds: str | None) -> ConfigDict:
    """Describe a body with exactly one of these fields; each has a JSON type, None for any."""
    variants: list[JsonValue] = [
        {"required": [name], "properties": {name: {"type": kind} if kind else {}}}
        for name, kind in kinds.items()
    ]
    return ConfigDict(json_schema_extra={"oneOf": variants})


async def read_body(request: Request, *, max_depth: int = MAX_DEPTH) -> Json:
    """Read a JSON body.

    Raises:
        Invalid: `CONTENT_TYPE_INVALID`, `JSON_INVALID`.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise Invalid(
            "CONTENT_TYPE_INVALID",
            f"the content type is {content_type[:100] or 'missing'!r}; expected application/json",
        )
    body = await request.body()
    if len(body) < LARGE_BYTES:
        return read(body, max_depth=max_depth)
    return await run_sync(partial(read, body, max_depth=max_depth))


async def read_invocation(request: Request) -> Invocation:
    """Read which tool to invoke, from either form; a JSON-RPC id is stored in the request state.

    Raises:
        Invalid: `BODY_INVALID` for a body of neither form, `INVOCATION_INVALID` for a wrong name or
            wrong arguments; every problem is listed.
        NotFound: `RPC_METHOD_UNKNOWN`.
    """
    body = await read_body(request)
    if not isinstance(body, dict):
        problem = Problem("BODY_INVALID", "", "expected an object")
        raise Invalid(
            "BODY_INVALID", "the body is not a JSON object", problems=[problem], hint=_HINT
        )
    try:
        if "jsonrpc" not in body:
            return Invocation.model_validate(body)
        _remember_id(request, body)
        return RpcInvocation.model_validate(body).params
    except ValidationError as error:
        raise _invocation_error(error, body) from None


async def note_rpc_id(request: Request) -> None:
    """Note the id that a refused JSON-RPC request sent, so that the answer carries it."""
    try:
        body = await read_body(request)
    except Invalid:
        return
    if isinstance(body, dict):
        _remember_id(request, body)


def arguments_of(invocation: Invocation) -> JsonObject:
    """Return the arguments, which come from a JSON body, as JSON."""
    return cast("JsonObject", invocation.arguments)


def _body_invalid(model: type[RequestBody], error: ValidationError) -> Invalid:
    details = islice(error.errors(include_url=False, include_input=False), MAX_PROBLEMS)
    problems = [
        Problem("BODY_INVALID", pointer(*detail["loc"]), detail["msg"].removeprefix(_OURS))
        for detail in details
    ]
    names = [repr(field.alias or name) for name, field in model.model_fields.items()]
    message = "the body does not have the expected form"
    hint = f"expected fields: {', '.join(names)}"
    return Invalid("BODY_INVALID", message, problems=problems, hint=hint)


def _remember_id(request: Request, body: JsonObject) -> None:
    identity = body.get("id")
    if isinstance(identity, str | int) and not isinstance(identity, bool):
        request.state.rpc_id = identity


def _invocation_error(error: ValidationError, body: JsonObject) -> Invalid | NotFound:
    # Report a wrong id once, not once for each type it may have.
    messages = {
        detail["loc"][:1] if detail["loc"][0] == "id" else detail["loc"]: detail["msg"]
        for detail in error.errors(include_url=False, include_input=False)
    }
    at = {loc[0] for loc in messages}
    method = body.get("method")
    if isinstance(method, str) and "method" in at and not at & {"jsonrpc", "id"}:
        return NotFound(
            "RPC_METHOD_UNKNOWN",
            f"unknown method {method[:100]!r}; this endpoint only supports {RPC_METHOD!r}",
            hint="the MCP endpoint is /mcp",
        )
    is_params = "jsonrpc" not in body or at == {"params"}
    code = "INVOCATION_INVALID" if is_params else "BODY_INVALID"
    return Invalid(
        code,
        "the name or the arguments are invalid" if is_params else "not a JSON-RPC request",
        problems=[
            Problem(code, pointer(*loc), message)
            for loc, message in islice(messages.items(), MAX_PROBLEMS)
        ],
        hint=_HINT,
    )
