"""`/api/v1/services`: credentials of external services; secrets are write-only."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import Field

from toolweave.credentials.accounts import CredentialRecord, Tested, kind_of, open_desk
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.nodes.services._vendors import KNOWN
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

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


class CredentialListResponse(JsonRecord):
    """All credentials, and all kinds of services."""

    services: list[CredentialRecord]
    kinds: list[str]


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_services(self) -> CredentialListResponse:
        """List credentials, without their secrets."""
        async with open_desk(self._home) as desk:
            found = [CredentialRecord.of(one) for one in await desk.listed()]
        return CredentialListResponse(services=found, kinds=[*KNOWN])

    async def store_service(
        self, name: Name, body: Annotated[CredentialRequest, Depends(CredentialRequest.read)]
    ) -> CredentialRecord:
        """Store a credential, replacing the existing one."""
        kind = kind_of(name, body.kind)
        async with open_desk(self._home) as desk:
            stored = await desk.add(name, kind, body.token, base_url=body.base_url)
        return CredentialRecord.of(stored)

    async def test_service(self, service: Name) -> Tested:
        """Test a credential with a read-only request, and show its account."""
        async with open_desk(self._home) as desk:
            return await desk.test(service)

    async def remove_service(self, name: Name) -> Response:
        """Remove a credential and its secret."""
        async with open_desk(self._home) as desk:
            await desk.remove(name)
        return Response(status_code=204)


def service_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The four endpoints."""
    handlers, one = _Handlers(home), "/{name}"
    routes = Routes(authenticator, "/api/v1/services", "services", texts=_TEXTS)
    routes.add("GET", "", handlers.list_services)
    routes.add("PUT", one, handlers.store_service)
    routes.add("DELETE", one, handlers.remove_service, 404, status=204)
    routes.add("POST", "/{service}/test", handlers.test_service, 404, 409, 504)
    return routes.router()


_TEXTS = {
    404: "The credential does not exist, or the service did not find what was requested.",
    409: "The service reports a conflict.",
    422: "The request does not have the expected form, or the service rejects it.",
    503: "The service or the database is unavailable.",
    504: "The service did not answer in time.",
}
