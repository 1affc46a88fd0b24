"""Requests of a connection beside `tools/call`: resources, prompts and completion.

Builds the request of each method and reads its response, whose shape is not trusted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import mcp_types as types

from toolweave import json_text
from toolweave.errors import Invalid, NotFound, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.servers.content import read_contents, read_messages, read_result
from toolweave.servers.disconnect_reason import printable
from toolweave.tools.tool import CallMethod, Content, ToolResult

# What the protocol allows one completion to return.
MAX_COMPLETIONS = 100
RESOURCE_MISSING = -32002  # before 2026-07-28; then it is -32602
MISSING = frozenset({RESOURCE_MISSING, types.INVALID_PARAMS})
TEXT_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class InputAnswers:
    """The answers that a request repeats with, and the server's state."""

    responses: types.InputResponses | None = None
    state: str | None = None
    # Whether the call is made as a task, before 2026-07-28.
    as_task: bool = False


class SkillListRequest(types.Request[types.PaginatedRequestParams | None, Literal["skills/list"]]):
    """Asks for a page of skills."""

    method: Literal["skills/list"] = "skills/list"
    params: types.PaginatedRequestParams | None = None


class SkillAddress(types.RequestParams):
    """Which skill."""

    uri: str


class SkillGetRequest(types.Request[SkillAddress, Literal["skills/get"]]):
    """Asks for the entry of a skill, which need not be listed."""

    method: Literal["skills/get"] = "skills/get"
    params: SkillAddress


@dataclass(frozen=True, slots=True)
class ListMethod:
    """A method that lists in pages, and the field of its entries."""

    request: type[
        types.ListResourcesRequest
        | types.ListResourceTemplatesRequest
        | types.ListPromptsRequest
        | SkillListRequest
    ]
    key: str


LISTS: Mapping[str, ListMethod] = {
    "resources": ListMethod(types.ListResourcesRequest, "resources"),
    "templates": ListMethod(types.ListResourceTemplatesRequest, "resourceTemplates"),
    "prompts": ListMethod(types.ListPromptsRequest, "prompts"),
    "skills": ListMethod(SkillListRequest, "skills"),
}
NO_ANSWERS = InputAnswers()
# What a call that lists returns.
LISTED: Mapping[CallMethod, tuple[str, ...]] = {
    "resources/list": ("resources", "templates"),
    "prompts/list": ("prompts",),
    "skills/list": ("skills",),
}


def request_of(
    method: CallMethod, name: str, arguments: JsonObject, answers: InputAnswers
) -> types.Request[Any, Any]:
    """Return the request of a call."""
    # Any: the two fields that every repeated request has.
    more: dict[str, Any] = {}
    if answers is not NO_ANSWERS:
        more = {"input_responses": answers.responses, "request_state": answers.state}
    match method:
        case "resources/read":
            uri = str(arguments.get("uri"))
            return types.ReadResourceRequest(
                params=types.ReadResourceRequestParams(uri=uri, **more)
            )
        case "prompts/get":
            given = cast("dict[str, str]", arguments.get("arguments") or {})
            named = str(arguments.get("name"))
            return types.GetPromptRequest(
                params=types.GetPromptRequestParams(name=named, arguments=given, **more)
            )
        case "completion/complete":
            return _completion(arguments)
        case "skills/get":
            return SkillGetRequest(params=SkillAddress(uri=str(arguments.get("uri"))))
        case _:
            if answers.as_task:
                more["task"] = types.TaskMetadata()
            return types.CallToolRequest(
                params=types.CallToolRequestParams(name=name, arguments=arguments, **more)
            )


def _completion(arguments: JsonObject) -> types.CompleteRequest:
    reference = (
        types.PromptReference(name=str(arguments["prompt"]))
        if "prompt" in arguments
        else types.ResourceTemplateReference(uri=str(arguments.get("template")))
    )
    known = arguments.get("known")
    context = types.CompletionContext(arguments=cast("dict[str, str]", known)) if known else None
    return types.CompleteRequest(
        params=types.CompleteRequestParams(
            ref=reference,
            argument=types.CompletionArgument(
                name=str(arguments.get("argument")), value=str(arguments.get("value") or "")
            ),
            context=context,
        )
    )


def read_response(method: CallMethod, raw: Mapping[str, Any], server: str) -> ToolResult:
    """Return the result in a raw response."""
    match method:
        case "resources/read":
            return read_contents(raw, server)
        case "prompts/get":
            return read_messages(raw, server)
        case "completion/complete":
            found = raw.get("completion")
            values: object = (
                cast("dict[str, object]", found).get("values") if isinstance(found, dict) else None
            )
            entries = cast("list[object]", values) if isinstance(values, list) else []
            texts: list[Json] = [
                printable(entry, TEXT_CHARACTERS) for entry in entries if isinstance(entry, str)
            ]
            return listing({"values": texts[:MAX_COMPLETIONS]})
        case "skills/get":
            return listing({"skill": cast("Json", raw.get("skill"))})
        case _:
            return read_result(raw, server)


def listing(value: JsonObject) -> ToolResult:
    """Return a list as a result: structured, and as text for a model."""
    return ToolResult(content=(Content("text", text=json_text.write(value)),), structured=value)


def refused(method: CallMethod, arguments: JsonObject, error: Unavailable) -> ToolweaveError:
    """Return what the server's refusal of a request means."""
    code = error.facts.get("rpc_code")
    if code == types.METHOD_NOT_FOUND:
        kind = method.partition("/")[0]
        what = "completes no arguments" if method.startswith("completion") else f"has no {kind}"
        return NotFound("MCP_METHOD_NOT_FOUND", f"the server {what}", facts=error.facts)
    if method == "resources/read" and code in MISSING:
        uri = printable(str(arguments.get("uri")), 200)
        message = f"there is no resource {uri!r}: {error.message}"
        return NotFound("MCP_RESOURCE_NOT_FOUND", message, facts=error.facts)
    if method == "skills/get" and code == types.INVALID_PARAMS:
        uri = printable(str(arguments.get("uri")), 200)
        return NotFound("SKILL_NOT_FOUND", f"the server has no skill {uri!r}", facts=error.facts)
    if method == "prompts/get" and code == types.INVALID_PARAMS:
        name = printable(str(arguments.get("name")), 200)
        hint = "the prompt's name and arguments are in the server's list of prompts"
        message = f"the server refused prompt {name!r}: {error.message}"
        return Invalid("MCP_PROMPT_REFUSED", message, hint=hint, facts=error.facts)
    return error
