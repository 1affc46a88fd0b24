"""`/api/v1/keys`: API keys for administrators; a key's text is shown once, when it is made."""

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
    bool, Query(description="Needed for the key that asks, and for the studio's own one")
]


class CreateKeyRequest(RequestBody):
    """A key to be made."""

    name: str = Field(
        min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$"
    )
    scopes: list[str] = Field(
        min_length=1, max_length=20, description="What it may do: " + ", ".join(SCOPES)
    )
    tools: list[ToolName] = Field(
        default_factory=list[str], max_length=200, description="Only these published tools"
    )


class KeyResponse(BaseModel):
    """A key without its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: str = Field(alias="createdAt")
    revoked_at: str | None = Field(alias="revokedAt")
    tools: list[str] | None
    is_studio: bool = Field(alias="isStudio")
    is_yours: bool = Field(alias="isYours")


class KeyListResponse(BaseModel):
    """Every key, newest first, and every scope there is."""

    keys: list[KeyResponse]
    scopes: list[str]


class CreateKeyResponse(KeyResponse):
    """A new key; `key` is its text, this once."""

    key: str


class _Handlers:
    """The handlers."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def list_keys(self, request: Request) -> Response:
        """List every key, revoked ones too, without their secrets."""
        found = [_shown(one, request) for one in await self._keys.list()]
        return JsonResponse({"keys": found, "scopes": [*SCOPES]})

    async def create_key(
        self, body: Annotated[CreateKeyRequest, Depends(CreateKeyRequest.read)], request: Request
    ) -> Response:
        """Make a key; its text is in this answer and nowhere else."""
        key, text = await create_key(self._keys, body.name, body.scopes, body.tools)
        headers = {"Cache-Control": "no-store"}
        return JsonResponse({**_shown(key, request), "key": text}, 201, headers)

    async def revoke_key(self, key: Identity, request: Request, sure: Sure = False) -> Response:
        """Revoke a key, at once."""
        asking: ApiKey = request.state.key
        await revoke_key(self._keys, key, asked_with=asking.id, is_sure=sure)
        return Response(status_code=204)


def key_routes(authenticator: Authenticator) -> APIRouter:
    """The three endpoints; each needs `admin`."""
    # The authenticator's own: it remembers keys for a second, and not one that was revoked here.
    handlers = _Handlers(authenticator.keys)
    router = APIRouter(prefix=ALL, tags=["keys"])
    gone = responses(None, 404, 409, 422, *KEYED, texts=_TEXTS, status=204)
    for method, path, answer, answered, reading in (
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
            answer,
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
    404: "No valid key of this id.",
    409: "It is the key that asks, or the studio's own: say that you are sure.",
}
