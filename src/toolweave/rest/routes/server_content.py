"""`/api/v1/servers/{server}/resources`, `/prompts` and `/skills`: what it has beside its tools."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field, model_validator

from toolweave.app.studio import Studio
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.servers import ServerIdentity, server_of
from toolweave.rest.routing import Routes
from toolweave.servers.offers import (
    ContentBlockRecord,
    ServerPrompts,
    ServerResources,
    list_prompts,
    list_resources,
)
from toolweave.servers.skills import (
    ServerSkills,
    approve_skill,
    forget_skill,
    list_skills,
    read_skill,
)
from toolweave.tools.tool import CallMethod, ToolResult, content_call
from toolweave.tools.uri_template import expand

Values = Annotated[dict[str, str], Field(max_length=100)]


class ReadResourceRequest(RequestBody):
    """The address of a resource; of a template, with the values of its variables."""

    uri: str = Field(min_length=1, max_length=8_192)
    variables: Values = Field(default_factory=dict)


class GetPromptRequest(RequestBody):
    """A prompt and its arguments."""

    name: str = Field(min_length=1, max_length=2_000)
    arguments: Values = Field(default_factory=dict)


class CompleteArgumentRequest(RequestBody):
    """An argument of a prompt or template, what was typed of it, and the values of the others."""

    prompt: str | None = Field(None, max_length=2_000)
    template: str | None = Field(None, max_length=8_192)
    argument: str = Field(min_length=1, max_length=2_000)
    value: str = Field("", max_length=8_192)
    known: Values = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_one(self) -> "CompleteArgumentRequest":
        if (self.prompt is None) == (self.template is None):
            raise ValueError("give 'prompt' or 'template'")
        return self


class ReadSkillRequest(RequestBody):
    """A skill by its name or address, and one of its files; without one, its SKILL.md."""

    skill: str = Field(min_length=1, max_length=2_000)
    file: str | None = Field(None, max_length=2_000)


class ApproveSkillRequest(RequestBody):
    """A skill by its name or address, and the hash that was shown."""

    skill: str = Field(min_length=1, max_length=2_000)
    hash: str = Field(min_length=64, max_length=64)


class ForgetSkillRequest(RequestBody):
    """A skill by its name or address."""

    skill: str = Field(min_length=1, max_length=2_000)


class ResourceContentResponse(JsonRecord):
    """The parts of a resource."""

    contents: list[ContentBlockRecord]


class PromptMessagesResponse(JsonRecord):
    """A prompt with its arguments filled in; `messages` has the text of each part."""

    description: str | None
    # Any: role and text of each message.
    messages: list[dict[str, Any]]
    contents: list[ContentBlockRecord]


class ArgumentValuesResponse(JsonRecord):
    """Values for an argument, at most 100; empty if the server completes none."""

    values: list[str]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def list_server_resources(self, server: ServerIdentity) -> ServerResources:
        """List the resources and templates of a server."""
        return await list_resources(self._studio.gate, (await self._server(server)))

    async def list_server_prompts(self, server: ServerIdentity) -> ServerPrompts:
        """List the prompts of a server with their arguments."""
        return await list_prompts(self._studio.gate, (await self._server(server)))

    async def read_server_resource(
        self,
        server: ServerIdentity,
        body: Annotated[ReadResourceRequest, Depends(ReadResourceRequest.read)],
    ) -> ResourceContentResponse:
        """Read a resource of a server."""
        uri = expand(body.uri, body.variables) if body.variables else body.uri
        result = await self._call(server, "resources/read", {"uri": uri})
        return ResourceContentResponse(contents=_blocks(result))

    async def get_server_prompt(
        self,
        server: ServerIdentity,
        body: Annotated[GetPromptRequest, Depends(GetPromptRequest.read)],
    ) -> PromptMessagesResponse:
        """Fill in a prompt of a server."""
        parameters: JsonObject = {"name": body.name, "arguments": {**body.arguments}}
        result = await self._call(server, "prompts/get", parameters)
        return PromptMessagesResponse.model_validate(
            {**_object(result), "contents": _blocks(result)}
        )

    async def complete_server_argument(
        self,
        server: ServerIdentity,
        body: Annotated[CompleteArgumentRequest, Depends(CompleteArgumentRequest.read)],
    ) -> ArgumentValuesResponse:
        """Complete an argument of a prompt or template."""
        of: JsonObject = (
            {"prompt": body.prompt} if body.prompt is not None else {"template": body.template}
        )
        parameters: JsonObject = {
            **of,
            "argument": body.argument,
            "value": body.value,
            "known": {**body.known},
        }
        result = await self._call(server, "completion/complete", parameters)
        return ArgumentValuesResponse.model_validate(_object(result))

    async def list_server_skills(self, server: ServerIdentity) -> ServerSkills:
        """List the skills of a server and whether they are approved."""
        return await list_skills(self._studio.gate, await self._server(server))

    async def read_server_skill(
        self,
        server: ServerIdentity,
        body: Annotated[ReadSkillRequest, Depends(ReadSkillRequest.read)],
    ) -> ContentBlockRecord:
        """Read a file of a skill, to review it."""
        name = await self._server(server)
        return ContentBlockRecord.read(
            await read_skill(self._studio.gate, name, body.skill, body.file)
        )

    async def approve_server_skill(
        self,
        server: ServerIdentity,
        body: Annotated[ApproveSkillRequest, Depends(ApproveSkillRequest.read)],
    ) -> ServerSkills:
        """Approve a skill by the hash that was shown: its files with their digests."""
        name = await self._server(server)
        await approve_skill(self._studio.gate, name, body.skill, body.hash)
        return await list_skills(self._studio.gate, name)

    async def forget_server_skill(
        self,
        server: ServerIdentity,
        body: Annotated[ForgetSkillRequest, Depends(ForgetSkillRequest.read)],
    ) -> ServerSkills:
        """Remove the approval of a skill."""
        name = await self._server(server)
        forget_skill(self._studio.gate, name, body.skill)
        return await list_skills(self._studio.gate, name)

    async def _server(self, identity: str) -> str:
        return (await server_of(self._studio, identity)).name

    async def _call(self, server: str, method: CallMethod, parameters: JsonObject) -> ToolResult:
        call = content_call(await self._server(server), method, parameters)
        # A person who reads is no session of a model, so nothing is counted across requests.
        return await self._studio.gate.call(replace(call, scope=f"request:{call.id}"))


def _blocks(result: ToolResult) -> list[ContentBlockRecord]:
    return [ContentBlockRecord.read(block) for block in result.content]


def _object(result: ToolResult) -> JsonObject:
    return result.structured if isinstance(result.structured, dict) else {}


def server_content_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/servers/{server}", "servers", 404, 409, 504)
    routes.add("GET", "/resources", handlers.list_server_resources)
    routes.add("POST", "/resources/read", handlers.read_server_resource)
    routes.add("GET", "/prompts", handlers.list_server_prompts)
    routes.add("POST", "/prompts/get", handlers.get_server_prompt)
    routes.add("POST", "/complete", handlers.complete_server_argument)
    routes.add("GET", "/skills", handlers.list_server_skills)
    routes.add("POST", "/skills/read", handlers.read_server_skill)
    routes.add("POST", "/skills/approve", handlers.approve_server_skill)
    routes.add("POST", "/skills/forget", handlers.forget_server_skill)
    return routes.router()
