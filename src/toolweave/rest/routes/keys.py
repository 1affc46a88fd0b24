"""`/api/v1/keys`: manage API keys; the text of a key is shown once, when it is created."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from toolweave.access.key_service import KeyRecord, create_key, is_studio_key, revoke_key
from toolweave.access.keys import SCOPES, ApiKey, ApiKeys
from toolweave.json_record import JsonRecord
from toolweave.publishing.store import TOOL_NAME
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

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


class KeyResponse(KeyRecord):
    """An API key without its secret."""

    is_studio: bool
    is_yours: bool


class KeyListResponse(JsonRecord):
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

    async def list_keys(self, request: Request) -> KeyListResponse:
        """List all keys, including revoked ones, without their secrets."""
        found = [_shown(one, request) for one in await self._keys.list()]
        return KeyListResponse(keys=found, scopes=[*SCOPES])

    async def create_key(
        self,
        body: Annotated[CreateKeyRequest, Depends(CreateKeyRequest.read)],
        request: Request,
        response: Response,
    ) -> CreateKeyResponse:
        """Create a key; only this response contains its text."""
        key, text = await create_key(self._keys, body.name, body.scopes, body.tools)
        response.headers["Cache-Control"] = "no-store"
        return CreateKeyResponse(**dict(_shown(key, request)), key=text)

    async def revoke_key(self, key: Identity, request: Request, sure: Sure = False) -> Response:
        """Revoke a key immediately."""
        await revoke_key(self._keys, key, asked_with=key_of(request).id, is_sure=sure)
        return Response(status_code=204)


def key_routes(authenticator: Authenticator) -> APIRouter:
    """The three endpoints."""
    # The authenticator's own instance: it caches keys, and revoking must update its cache.
    handlers = _Handlers(authenticator.keys)
    routes = Routes(authenticator, "/api/v1/keys", "keys", texts=_TEXTS)
    routes.add("GET", "", handlers.list_keys)
    routes.add("POST", "", handlers.create_key, status=201)
    routes.add("DELETE", "/{key}", handlers.revoke_key, 404, 409, status=204)
    return routes.router()


def _shown(one: ApiKey, request: Request) -> KeyResponse:
    is_yours = one.id == key_of(request).id
    record = dict(KeyRecord.of(one))
    return KeyResponse(**record, is_studio=is_studio_key(one), is_yours=is_yours)


_TEXTS = {
    404: "No valid key has this id.",
    409: "It is the key of this request, or the studio's own; confirm with `sure`.",
}
