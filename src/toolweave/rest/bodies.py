"""Request bodies, read strictly: what is not understood is refused with its place."""

from typing import Any, cast

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, read
from toolweave.problems import Problem, pointer


class Strict(BaseModel):
    """A body whose unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Invocation(Strict):
    """A tool and its arguments."""

    name: str = Field(min_length=1, max_length=200, description="The tool's name")
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its arguments")


class RpcInvocation(Strict):
    """The same as a JSON-RPC 2.0 request."""

    jsonrpc: str = Field(pattern=r"^2\.0$")
    id: str | int | None = None
    method: str = Field(pattern=r"^tools/call$")
    params: Invocation


async def read_body(request: Request) -> Json:
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
    return read(await request.body(), max_depth=64)


async def read_invocation(request: Request) -> tuple[Invocation, str | int | None]:
    """The tool to invoke and the caller's JSON-RPC id, from either form of the body.

    Raises:
        Invalid: `BODY_INVALID`, with every problem.
    """
    body = await read_body(request)
    is_rpc = isinstance(body, dict) and "jsonrpc" in body
    try:
        if is_rpc:
            rpc = RpcInvocation.model_validate(body)
            return rpc.params, rpc.id
        return Invocation.model_validate(body), None
    except ValidationError as error:
        raise Invalid(
            "BODY_INVALID",
            "the body is not an invocation",
            problems=_problems(error),
            hint='send {"name": "get_node_types", "arguments": {}}',
        ) from None


def arguments_of(invocation: Invocation) -> JsonObject:
    """Its arguments as JSON, which they are: they came out of a JSON body."""
    return cast("JsonObject", invocation.arguments)


def _problems(error: ValidationError) -> list[Problem]:
    return [
        Problem("BODY_INVALID", pointer(*fault["loc"]), fault["msg"])
        for fault in error.errors(include_url=False, include_input=False)[:50]
    ]
