"""`/api/v1/services`: credentials of external services; secrets are write-only."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.credentials.accounts import kind_of, open_desk
from toolweave.credentials.store import Credential
from toolweave.home import Home
from toolweave.nodes.services._vendors import KNOWN
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

SCOPE = "admin"
ONE = "/{name}"
TEST = "/{service}/test"
Name = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$", description="A credential's name")
]


class CredentialRequest(RequestBody):
    """A credential to store."""

    token: str = Field(min_length=1, max_length=10_000, pattern=r"\S", description="The secret")
    kind: str = Field(
        max_length=40, description="Which service it is for", json_schema_extra={"enum": [*KNOWN]}
    )
    base_url: str | None = Field(
        None,
        alias="baseUrl",
        max_length=2000,
        pattern=r"^https?://[a-z0-9]+([.-][a-z0-9]+)*(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~-]+)*/?$",
        description="If the service has another address than usual",
    )


class CredentialResponse(BaseModel):
    """A credential, without its secret."""

    name: str
    kind: str
    auth: Literal["token", "oauth"]
    base_url: str | None = Field(None, alias="baseUrl")


class CredentialListResponse(BaseModel):
    """All credentials, and all kinds of services."""

    services: list[CredentialResponse]
    kinds: list[str]


class CredentialTestResponse(BaseModel):
    """The result of a test request."""

    name: str
    kind: str
    who: str
    address: str


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_services(self) -> Response:
        """List credentials, without their secrets."""
        async with open_desk(self._home) as desk:
            found = [_shown(one) for one in await desk.listed()]
        return JsonResponse({"services": found, "kinds": [*KNOWN]})

    async def store_service(
        self, name: Name, body: Annotated[CredentialRequest, Depends(CredentialRequest.read)]
    ) -> Response:
        """Store a credential, replacing the existing one."""
        kind = kind_of(name, body.kind)
        async with open_desk(self._home) as desk:
            stored = await desk.add(name, kind, body.token, base_url=body.base_url)
        return JsonResponse(_shown(stored))

    async def test_service(self, service: Name) -> Response:
        """Test a credential with a read-only request, and show its account."""
        async with open_desk(self._home) as desk:
            found = await desk.test(service)
        content = {
            "name": found.name,
            "kind": found.kind,
            "who": found.who,
            "address": found.address,
        }
        return JsonResponse(content)

    async def remove_service(self, name: Name) -> Response:
        """Remove a credential and its secret."""
        async with open_desk(self._home) as desk:
            await desk.remove(name)
        return Response(status_code=204)


def service_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The four endpoints; each needs `admin`."""
    handlers = _Handlers(home)
    gate = authenticator.require(SCOPE)
    router = APIRouter(prefix="/api/v1/services", tags=["services"])
    for method, path, handler, answered, reading in (
        ("GET", "", handlers.list_services, _LIST, None),
        ("PUT", ONE, handlers.store_service, _STORE, CredentialRequest),
        ("DELETE", ONE, handlers.remove_service, _REMOVE, None),
        ("POST", TEST, handlers.test_service, _TESTED, None),
    ):
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    for path, methods in (("", ("GET",)), (ONE, ("DELETE", "PUT")), (TEST, ("POST",))):
        router.routes.append(Route(router.prefix + path, endpoint=OtherMethods(*methods)))
    return router


def _shown(one: Credential) -> dict[str, str | None]:
    return {"name": one.name, "kind": one.kind, "auth": one.auth, "baseUrl": one.base_url}


_TEXTS = {
    404: "The credential does not exist, or the service did not find what was requested.",
    409: "The service reports a conflict.",
    422: "The request does not have the expected form, or the service rejects it.",
    503: "The service or the database is unavailable.",
    504: "The service did not handler in time.",
}
_LIST = responses(CredentialListResponse, *KEYED)
_STORE = responses(CredentialResponse, *KEYED, *READING, texts=_TEXTS)
_REMOVE = responses(None, 404, 422, *KEYED, texts=_TEXTS, status=204)
_TESTED = responses(CredentialTestResponse, 404, 409, 422, 504, *KEYED, texts=_TEXTS)
