"""`/api/v1/keys`: manage API keys; the text of a key is shown once, when it is created."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.access.key_service import create_key, is_studio_key, key_as_json, revoke_key
from toolweave.access.keys import SCOPES, ApiKey, ApiKeys
from toolweave.json_text import JsonObject
from toolweave.publishing.store import TOOL_NAME
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

SCOPE = "admin"
ALL = "/api/v1/keys"
ONE = "/{key}"
ToolName = Annotated[str, Field(pattern=f"^{TOOL_NAME}$")]
Identity = Annotated[
    str, Path(alias="key", pattern=r"^[0-9a-f-]{36}$", description="A key's id, not its text")
]
Sure = Annotated[
    bool, Query(description="Required to revoke the key of this request, or the studio's own")
]


class CreateKeyRequest(RequestBody):
    """A key to create."""

    name: str = Field(
        min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$"
    )
    scopes: list[str] = Field(
        min_length=1, max_length=20, description="Its scopes: " + ", ".join(SCOPES)
    )
    tools: list[ToolName] = Field(
        default_factory=list[str], max_length=200, description="Only these published tools"
    )


class KeyResponse(BaseModel):
    """An API key without its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: str = Field(alias="createdAt")
    revoked_at: str | None = Field(alias="revokedAt")
    tools: list[str] | None
    is_studio: bool = Field(alias="isStudio")
    is_yours: bool = Field(alias="isYours")


class KeyListResponse(BaseModel):
    """All keys, newest first, and all scopes."""

    keys: list[KeyResponse]
    scopes: list[str]


class CreateKeyResponse(KeyResponse):
    """A new key; `key` is its text, shown only once."""

    key: str


class _Handlers:
    """The handlers."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def list_keys(self, request: Request) -> Response:
        """List all keys, including revoked ones, without their secrets."""
        found = [_shown(one, request) for one in await self._keys.list()]
        return JsonResponse({"keys": found, "scopes": [*SCOPES]})

    async def create_key(
        self, body: Annotated[CreateKeyRequest, Depends(CreateKeyRequest.read)], request: Request
    ) -> Response:
        """Create a key; only this response contains its text."""
        key, text = await create_key(self._keys, body.name, body.scopes, body.tools)
        headers = {"Cache-Control": "no-store"}
        return JsonResponse({**_shown(key, request), "key": text}, 201, headers)

    async def revoke_key(self, key: Identity, request: Request, sure: Sure = False) -> Response:
        """Revoke a key immediately."""
        asking: ApiKey = request.state.key
        await revoke_key(self._keys, key, asked_with=asking.id, is_sure=sure)
        return Response(status_code=204)


def key_routes(authenticator: Authenticator) -> APIRouter:
    """The three endpoints; each needs `admin`."""
    # The authenticator's own instance: it caches keys, and revoking must update its cache.
    handlers = _Handlers(authenticator.keys)
    router = APIRouter(prefix=ALL, tags=["keys"])
    gone = responses(None, 404, 409, 422, *KEYED, texts=_TEXTS, status=204)
    for method, path, handler, answered, reading in (
        ("GET", "", handlers.list_keys, responses(KeyListResponse, *KEYED), None),
        (
            "POST",
            "",
            handlers.create_key,
            responses(CreateKeyResponse, *KEYED, *READING, status=201),
            CreateKeyRequest,
        ),
        ("DELETE", ONE, handlers.revoke_key, gone, None),
    ):
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(authenticator.require(SCOPE))],
            responses=answered,
            status_code=next(status for status in (201, 204, 200) if status in answered),
            openapi_extra=openapi.keyed(reading),
        )
    for path, methods in (("", ("GET", "POST")), (ONE, ("DELETE",))):
        router.routes.append(Route(ALL + path, endpoint=OtherMethods(*methods)))
    return router


def _shown(one: ApiKey, request: Request) -> JsonObject:
    asking: ApiKey = request.state.key
    return {**key_as_json(one), "isStudio": is_studio_key(one), "isYours": one.id == asking.id}


_TEXTS = {
    404: "No valid key has this id.",
    409: "It is the key of this request, or the studio's own; confirm with `sure`.",
}
