"""OAuth for `/mcp`: programs register, a person agrees on a page of the studio, they get a key.

The endpoints for programs speak OAuth and need no key. `/api/v1/oauth` is for the page and needs
one with `admin`, like creating a key.
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import Response
from starlette.routing import Route

from toolweave.access.oauth_clients import OAuthClients
from toolweave.access.oauth_grants import (
    GRANTABLE,
    AccessRequest,
    OAuthError,
    OAuthGrants,
    RequestRefused,
)
from toolweave.errors import Conflict, Invalid, ToolweaveError
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.json_text import read, write
from toolweave.rest.auth import Authenticator
from toolweave.rest.pages import SAFE
from toolweave.rest.protected_resource import (
    MCP_PATHS,
    RESOURCE,
    base_url,
    resource_metadata,
    server_metadata,
)
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.keys import ToolName
from toolweave.rest.routing import Routes

MAX_BODY = 64 * 1024
MAX_QUERY = 16 * 1024
PAGE = "/#/authorize?"
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
# What the page is given of an authorization request.
PARAMETERS = (
    "client_id",
    "redirect_uri",
    "response_type",
    "code_challenge",
    "code_challenge_method",
    "scope",
    "state",
    "resource",
)

Endpoint = Callable[[Request], Awaitable[Response]]


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


class _Programs:
    """The endpoints for programs."""

    def __init__(self, home: Home, authenticator: Authenticator, grants: OAuthGrants) -> None:
        self._home = home
        self._authenticator = authenticator
        self._grants = grants

    async def resource(self, request: Request) -> Response:
        """Describe `/mcp` as a protected resource."""
        return _json(resource_metadata(base_url(request.scope)))

    async def server(self, request: Request) -> Response:
        """Describe the authorization server."""
        return _json(server_metadata(base_url(request.scope)))

    async def own_client(self, request: Request) -> Response:
        """Describe this studio as a client of other servers, if its address is set."""
        url = self._home.settings.oauth_client_url
        if url is None:
            return _json({"error": "not_found"}, 404)
        return _json(
            {
                "client_id": url,
                "client_name": "Toolweave",
                "redirect_uris": ["http://127.0.0.1/callback", "http://localhost/callback"],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
                "application_type": "native",
            }
        )

    async def authorize(self, request: Request) -> Response:
        """Send the browser to the page where a person decides; never to an unknown address."""
        self._authenticator.count(request, "oauth")
        try:
            given = _fields(request.url.query)
            await self._grants.read_request(given, base_url(request.scope))
        except RequestRefused as error:
            # Anybody can register an address: without consent nobody is sent to another host.
            return _redirect(error.location) if error.is_local else _stopped(error.description)
        except Invalid as error:
            return _stopped(error.message)
        kept = {name: given[name] for name in PARAMETERS if name in given}
        return _redirect(PAGE + urlencode(kept))

    async def register(self, request: Request) -> Response:
        """Register a program (RFC 7591); it gets no secret."""
        self._authenticator.count(request, "oauth")
        try:
            given = read(await _body(request), max_bytes=MAX_BODY)
            client = await self._grants.clients.register(given)
        except Invalid as error:
            is_redirect = "redirect_uri" in error.message
            raise OAuthError(
                "invalid_redirect_uri" if is_redirect else "invalid_client_metadata", error.message
            ) from None
        described = {
            "client_id": client.id,
            "client_name": client.name,
            "redirect_uris": [*client.redirects],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": " ".join(GRANTABLE),
        }
        return _json(described, 201)

    async def token(self, request: Request) -> Response:
        """Exchange a code or a refresh token."""
        self._authenticator.count(request, "oauth")
        given = _fields((await _body(request)).decode("utf-8", "replace"))
        return _json(await self._grants.token(given, base_url(request.scope)))

    async def revoke(self, request: Request) -> Response:
        """End what was granted (RFC 7009)."""
        self._authenticator.count(request, "oauth")
        await self._grants.revoke(_fields((await _body(request)).decode("utf-8", "replace")))
        return _json({})


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
            return await self._grants.read_request(_fields(query), base_url(request.scope))
        except RequestRefused as error:
            raise Conflict("OAUTH_REQUEST_INVALID", error.description) from None
        except Invalid as error:
            raise Conflict(error.code, error.message, hint=error.hint) from None


def oauth_routes(home: Home, authenticator: Authenticator) -> Iterator[APIRouter]:
    """The endpoints for programs, which OpenAPI leaves out, and those of the page."""
    grants = OAuthGrants(home.database, authenticator.keys, OAuthClients(home.database, home.clock))
    programs, consent = _Programs(home, authenticator, grants), _Consent(grants)
    router = APIRouter()
    for method, path, endpoint in (
        ("GET", RESOURCE, programs.resource),
        *(("GET", f"{RESOURCE}{path}", programs.resource) for path in MCP_PATHS),
        ("GET", "/.well-known/oauth-authorization-server", programs.server),
        ("GET", "/oauth/client.json", programs.own_client),
        ("GET", "/oauth/authorize", programs.authorize),
        ("POST", "/oauth/register", programs.register),
        ("POST", "/oauth/token", programs.token),
        ("POST", "/oauth/revoke", programs.revoke),
    ):
        router.routes.append(Route(path, endpoint=_spoken(endpoint), methods=[method]))
    yield router
    texts = {409: "The program cannot be identified, or its request is wrong."}
    routes = Routes(authenticator, "/api/v1/oauth", "oauth", 409, texts=texts)
    routes.add("POST", "/requests", consent.show_access_request)
    routes.add("POST", "/grants", consent.answer_access_request)
    yield routes.router()


def _spoken(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint whose errors are in OAuth's own words."""

    async def spoken(request: Request) -> Response:
        try:
            return await endpoint(request)
        except OAuthError as error:
            body = {"error": error.error, "error_description": error.description}
            return _json(body, error.status)
        except ToolweaveError as error:
            if error.status >= 500 or error.status == 429:
                raise
            return _json({"error": "invalid_request", "error_description": error.message}, 400)

    return spoken


async def _body(request: Request) -> bytes:
    body = await request.body()
    if len(body) > MAX_BODY:
        raise OAuthError("invalid_request", "the body is too large", 413)
    return body


def _fields(text: str) -> dict[str, str]:
    """Return the fields of a query or a form, each of which may occur once."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=40)
    except ValueError:
        raise Invalid("OAUTH_REQUEST_INVALID", "the request has too many fields") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Invalid("OAUTH_REQUEST_INVALID", "a field of the request occurs twice")
    return fields


def _stopped(why: str) -> Response:
    text = f"This sign-in cannot go on: {why}.\n"
    return Response(text, 400, headers={**SAFE, **NO_STORE}, media_type="text/plain")


def _redirect(location: str) -> Response:
    return Response(status_code=302, headers={**SAFE, **NO_STORE, "Location": location})


def _json(body: object, status: int = 200) -> Response:
    return Response(write(body), status, headers=NO_STORE, media_type="application/json")
