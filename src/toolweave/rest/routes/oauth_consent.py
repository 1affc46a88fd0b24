"""`/api/v1/oauth`: the page where a person grants a program access.

It needs a key with `admin`, like creating a key.
"""

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from toolweave.access.oauth_grants import GRANTABLE, AccessRequest, OAuthGrants, RequestRefused
from toolweave.errors import Conflict, Invalid
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.protected_resource import base_url
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.keys import ToolName
from toolweave.rest.routing import Routes

MAX_QUERY = 16 * 1024


class AccessRequestRequest(RequestBody):
    """What a program asks for: the query of the address that it opened."""

    query: str = Field(min_length=1, max_length=MAX_QUERY)


class AccessGrantRequest(AccessRequestRequest):
    """A person's decision, and what they grant."""

    allowed: bool
    scopes: list[str] = Field(default_factory=list[str], max_length=20)
    tools: list[ToolName] = Field(
        default_factory=list[str], max_length=200, description="Only these published tools"
    )


class AccessRequestResponse(JsonRecord):
    """A program and what it asks for; nobody has checked the program's name."""

    client_name: str
    client_host: str | None = Field(description="The host that describes the program")
    redirect_host: str = Field(description="Where the browser is sent with the code")
    is_local: bool = Field(description="Whether that is a program on the person's own machine")
    scopes: list[str] = Field(description="What it asks for")
    grantable: list[str] = Field(description="All that can be granted")


class AccessGrantResponse(JsonRecord):
    """Where the browser goes next."""

    location: str


class _Consent:
    """The endpoints for the page."""

    def __init__(self, grants: OAuthGrants) -> None:
        self._grants = grants

    async def show_access_request(
        self,
        body: Annotated[AccessRequestRequest, Depends(AccessRequestRequest.read)],
        request: Request,
    ) -> AccessRequestResponse:
        """Show which program asks for access, and for what."""
        asked = await self._asked(body.query, request)
        return AccessRequestResponse(
            client_name=asked.client.name,
            client_host=asked.client.host,
            redirect_host=asked.destination,
            is_local=asked.is_local,
            scopes=[*asked.scopes],
            grantable=[*GRANTABLE],
        )

    async def answer_access_request(
        self,
        body: Annotated[AccessGrantRequest, Depends(AccessGrantRequest.read)],
        request: Request,
    ) -> AccessGrantResponse:
        """Grant access to a program or refuse it."""
        asked = await self._asked(body.query, request)
        if not body.allowed:
            return AccessGrantResponse(location=self._grants.refuse(asked))
        location = await self._grants.approve(asked, body.scopes, body.tools)
        return AccessGrantResponse(location=location)

    async def _asked(self, query: str, request: Request) -> AccessRequest:
        try:
            return await self._grants.read_request(query_fields(query), base_url(request.scope))
        except RequestRefused as error:
            raise Conflict("OAUTH_REQUEST_INVALID", error.description) from None
        except Invalid as error:
            raise Conflict(error.code, error.message, hint=error.hint) from None


def consent_routes(grants: OAuthGrants, authenticator: Authenticator) -> APIRouter:
    """The two endpoints."""
    consent = _Consent(grants)
    texts = {409: "The program cannot be identified, or its request is wrong."}
    routes = Routes(authenticator, "/api/v1/oauth", "oauth", 409, texts=texts)
    routes.add("POST", "/requests", consent.show_access_request)
    routes.add("POST", "/grants", consent.answer_access_request)
    return routes.router()


def query_fields(text: str) -> dict[str, str]:
    """Return the fields of a query or a form, each of which may occur once."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=40)
    except ValueError:
        raise Invalid("OAUTH_REQUEST_INVALID", "the request has too many fields") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Invalid("OAUTH_REQUEST_INVALID", "a field of the request occurs twice")
    return fields
