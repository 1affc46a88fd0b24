"""Request bodies, read strictly: what is not understood is refused with its place."""

from itertools import islice
from typing import Any, TypeVar, cast

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
# A workflow is read up to 116 deep, and stands in a field.
MAX_SHAPE_DEPTH = 120
MAX_PROBLEMS = 50
# What pydantic puts before the words of a validator of ours.
_OURS = "Value error, "
_HINT = 'send {"name": "get_node_types", "arguments": {}}'


class Strict(BaseModel):
    """A body whose unknown fields are refused, and values that are not quite of their type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Invocation(Strict):
    """A tool and its arguments."""

    name: str = Field(min_length=1, max_length=200, description="The tool's name")
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its arguments")


class RpcInvocation(Strict):
    """The same as a JSON-RPC 2.0 request."""

    jsonrpc: str = Field(pattern=r"^2\.0$")
    id: StrictStr | StrictInt | None = None
    method: str = Field(pattern=f"^{RPC_METHOD}$")
    params: Invocation


Shape = TypeVar("Shape", bound=Strict)


def one_of(**kinds: str | None) -> ConfigDict:
    """For a shape of which one of these fields is given; by name its JSON type, None for any."""
    variants: list[JsonValue] = [
        {"required": [name], "properties": {name: {"type": kind} if kind else {}}}
        for name, kind in kinds.items()
    ]
    return ConfigDict(json_schema_extra={"oneOf": variants})


async def read_body(request: Request, *, max_depth: int = MAX_DEPTH) -> Json:
    """The JSON of a body.

    Raises:
        Invalid: `CONTENT_TYPE_INVALID`, `JSON_INVALID`.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise Invalid(
            "CONTENT_TYPE_INVALID",
            f"the body is {content_type[:100] or 'of no type'!r}; application/json is expected",
        )
    return read(await request.body(), max_depth=max_depth)


async def read_shape(request: Request, shape: type[Shape]) -> Shape:
    """The body of a request in a shape of its own.

    Raises:
        Invalid: `BODY_INVALID` with every problem, and as `read_body`.
    """
    try:
        return shape.model_validate(await read_body(request, max_depth=MAX_SHAPE_DEPTH))
    except ValidationError as error:
        faults = islice(error.errors(include_url=False, include_input=False), MAX_PROBLEMS)
        problems = [
            Problem("BODY_INVALID", pointer(*fault["loc"]), fault["msg"].removeprefix(_OURS))
            for fault in faults
        ]
        message = "the body has not the expected form"
        hint = f"expected are {', '.join(_names(shape))}"
        raise Invalid("BODY_INVALID", message, problems=problems, hint=hint) from None


async def read_invocation(request: Request) -> Invocation:
    """The tool to invoke, from either form of the body; a JSON-RPC id goes into the state.

    Raises:
        Invalid: `BODY_INVALID` for what is neither form, `INVOCATION_INVALID` for a wrong name or
            wrong arguments; every problem is listed.
        NotFound: `RPC_METHOD_UNKNOWN`.
    """
    body = await read_body(request)
    if not isinstance(body, dict):
        problem = Problem("BODY_INVALID", "", "expected an object")
        raise Invalid("BODY_INVALID", "the body is no object", problems=[problem], hint=_HINT)
    try:
        if "jsonrpc" not in body:
            return Invocation.model_validate(body)
        _remember_id(request, body)
        return RpcInvocation.model_validate(body).params
    except ValidationError as error:
        raise _refused(error, body) from None


def arguments_of(invocation: Invocation) -> JsonObject:
    """Its arguments as JSON, which they are: they came out of a JSON body."""
    return cast("JsonObject", invocation.arguments)


def _names(shape: type[Strict]) -> list[str]:
    return [repr(field.alias or name) for name, field in shape.model_fields.items()]


def _remember_id(request: Request, body: JsonObject) -> None:
    identity = body.get("id")
    if isinstance(identity, str | int) and not isinstance(identity, bool):
        request.state.rpc_id = identity


def _refused(error: ValidationError, body: JsonObject) -> Invalid | NotFound:
    # A wrong id is told once, not once for each type it might have had.
    faults = {
        fault["loc"][:1] if fault["loc"][0] == "id" else fault["loc"]: fault["msg"]
        for fault in error.errors(include_url=False, include_input=False)
    }
    at = {loc[0] for loc in faults}
    method = body.get("method")
    if isinstance(method, str) and "method" in at and not at & {"jsonrpc", "id"}:
        return NotFound(
            "RPC_METHOD_UNKNOWN",
            f"the method is {method[:100]!r}; the only one here is {RPC_METHOD!r}",
            hint="the whole of MCP is at /mcp",
        )
    is_params = "jsonrpc" not in body or at == {"params"}
    code = "INVOCATION_INVALID" if is_params else "BODY_INVALID"
    return Invalid(
        code,
        "the name or the arguments are wrong" if is_params else "the body is no JSON-RPC request",
        problems=[
            Problem(code, pointer(*loc), message)
            for loc, message in islice(faults.items(), MAX_PROBLEMS)
        ],
        hint=_HINT,
    )
