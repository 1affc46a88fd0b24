"""OAuth for `/mcp`: programs register, a person agrees on a page of the studio, they get a key.

The endpoints for programs speak OAuth and need no key; those of the page are in `oauth_consent`.
"""

from collections.abc import Awaitable, Callable, Iterator
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.routing import Route

from toolweave.access.oauth_clients import OAuthClients
from toolweave.access.oauth_grants import (
    GRANTABLE,
    OAuthError,
    OAuthGrants,
    RequestRefused,
)
from toolweave.errors import Invalid, ToolweaveError
from toolweave.home import Home
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
from toolweave.rest.routes.oauth_consent import consent_routes, query_fields

MAX_BODY = 64 * 1024
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
            given = query_fields(request.url.query)
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
        given = query_fields((await _body(request)).decode("utf-8", "replace"))
        return _json(await self._grants.token(given, base_url(request.scope)))

    async def revoke(self, request: Request) -> Response:
        """End what was granted (RFC 7009)."""
        self._authenticator.count(request, "oauth")
        await self._grants.revoke(query_fields((await _body(request)).decode("utf-8", "replace")))
        return _json({})


def oauth_routes(home: Home, authenticator: Authenticator) -> Iterator[APIRouter]:
    """The endpoints for programs, which OpenAPI leaves out, and those of the page."""
    grants = OAuthGrants(home.database, authenticator.keys, OAuthClients(home.database, home.clock))
    programs = _Programs(home, authenticator, grants)
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
    yield consent_routes(grants, authenticator)


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


def _stopped(why: str) -> Response:
    text = f"This sign-in cannot go on: {why}.\n"
    return Response(text, 400, headers={**SAFE, **NO_STORE}, media_type="text/plain")


def _redirect(location: str) -> Response:
    return Response(status_code=302, headers={**SAFE, **NO_STORE, "Location": location})


def _json(body: object, status: int = 200) -> Response:
    return Response(write(body), status, headers=NO_STORE, media_type="application/json")
