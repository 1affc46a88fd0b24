"""`/api/v1/services`: credentials of services outside, for the studio; secrets only go in."""

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
    """A token to keep."""

    token: str = Field(min_length=1, max_length=10_000, pattern=r"\S", description="The secret")
    kind: str = Field(
        max_length=40, description="Which service it is for", json_schema_extra={"enum": [*KNOWN]}
    )
    base_url: str | None = Field(
        None,
        alias="baseUrl",
        max_length=2000,
        pattern=r"^https?://[a-z0-9]+([.-][a-z0-9]+)*(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~-]+)*/?$",
        description="If not at its usual address",
    )


class CredentialResponse(BaseModel):
    """A credential, without its secret."""

    name: str
    kind: str
    auth: Literal["token", "oauth"]
    base_url: str | None = Field(None, alias="baseUrl")


class CredentialListResponse(BaseModel):
    """All of them, and every kind there is."""

    services: list[CredentialResponse]
    kinds: list[str]


class CredentialTestResponse(BaseModel):
    """What a harmless call told."""

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
        """Keep a token, in place of what was there."""
        kind = kind_of(name, body.kind)
        async with open_desk(self._home) as desk:
            stored = await desk.add(name, kind, body.token, base_url=body.base_url)
        return JsonResponse(_shown(stored))

    async def test_service(self, service: Name) -> Response:
        """Make one harmless call and say whose credential it is."""
        async with open_desk(self._home) as desk:
            found = await desk.test(service)
        told = {"name": found.name, "kind": found.kind, "who": found.who, "address": found.address}
        return JsonResponse(told)

    async def remove_service(self, name: Name) -> Response:
        """Forget a credential and its secret."""
        async with open_desk(self._home) as desk:
            await desk.remove(name)
        return Response(status_code=204)


def service_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The four endpoints; each needs `admin`."""
    handlers = _Handlers(home)
    gate = authenticator.require(SCOPE)
    router = APIRouter(prefix="/api/v1/services", tags=["services"])
    for method, path, answer, answered, reading in (
        ("GET", "", handlers.list_services, _LIST, None),
        ("PUT", ONE, handlers.store_service, _STORE, CredentialRequest),
        ("DELETE", ONE, handlers.remove_service, _REMOVE, None),
        ("POST", TEST, handlers.test_service, _TESTED, None),
    ):
        router.add_api_route(
            path,
            answer,
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
    404: "No such credential, or the service does not know what was asked for.",
    409: "The service has something that is in the way.",
    422: "The request has not the expected form, or the service refuses it.",
    503: "The service, or our database, does not answer.",
    504: "The service did not answer in time.",
}
_LIST = responses(CredentialListResponse, *KEYED)
_STORE = responses(CredentialResponse, *KEYED, *READING, texts=_TEXTS)
_REMOVE = responses(None, 404, 422, *KEYED, texts=_TEXTS, status=204)
_TESTED = responses(CredentialTestResponse, 404, 409, 422, 504, *KEYED, texts=_TEXTS)
