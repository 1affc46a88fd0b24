"""A real authorization server for the tests, and an MCP server that asks for its tokens.

Built from the SDK's own server pieces, so redirect addresses, PKCE and client secrets are
checked as a real one would; the two are at different addresses, as real ones often are.
"""

import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.routes import (
    build_resource_metadata_url,
    create_auth_routes,
    create_protected_resource_routes,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from servers.transports.serving import SseDoor, listening, running, tool_server

SCOPES = ["tools"]


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Lets everybody in, gives out short-lived tokens, and uses each refresh token once."""

    def __init__(self) -> None:
        self.lifetime_s: int | None = 3600
        self.gives_refresh_tokens = True
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.refresh_tokens: dict[str, RefreshToken] = {}
        self.access_tokens: dict[str, AccessToken] = {}
        self.refreshed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        code = AuthorizationCode(
            code=f"code-{secrets.token_hex(16)}",
            scopes=params.scopes or SCOPES,
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self.issue(client.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh_tokens.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh_tokens[refresh_token.token]
        self.refreshed += 1
        return self.issue(client.client_id, refresh_token.scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access_tokens.get(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        return self.access_tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access_tokens.pop(token.token, None)
        self.refresh_tokens.pop(token.token, None)

    def issue(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self.access_tokens[access] = AccessToken(
            token=access, client_id=client_id, scopes=scopes, resource=resource
        )
        self.refresh_tokens[refresh] = RefreshToken(
            token=refresh, client_id=client_id, scopes=scopes, resource=resource
        )
        return OAuthToken(
            access_token=access,
            refresh_token=refresh if self.gives_refresh_tokens else None,
            expires_in=self.lifetime_s,
            scope=" ".join(scopes),
        )

    def revoke_all(self, *, refresh: bool = True) -> None:
        """Forget every token given out."""
        self.access_tokens.clear()
        if refresh:
            self.refresh_tokens.clear()


@dataclass
class Protected:
    """A protected server, its authorization server, and all that came to either."""

    origin: str
    issuer: str
    provider: Provider
    seen: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    server_log: list[tuple[str, str, str | None]] = field(
        default_factory=list[tuple[str, str, str | None]]
    )
    issuer_log: list[tuple[str, str, str | None]] = field(
        default_factory=list[tuple[str, str, str | None]]
    )

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    @property
    def sse_url(self) -> str:
        return f"{self.origin}/sse"


class Logged:
    """Writes down method, path and `Authorization` of each request."""

    def __init__(self, app: ASGIApp, log: list[tuple[str, str, str | None]]) -> None:
        self.app = app
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            entry = (request.method, request.url.path, request.headers.get("authorization"))
            self.log.append(entry)
        await self.app(scope, receive, send)


@contextmanager
def protected_server() -> Generator[Protected]:
    """Both servers, running."""
    with listening() as (bound, origin), listening() as (issuer_bound, issuer):
        provider = Provider()
        known = Protected(origin, issuer, provider)
        authorization = Starlette(
            routes=create_auth_routes(
                provider,
                AnyHttpUrl(issuer),
                client_registration_options=ClientRegistrationOptions(
                    enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES
                ),
            )
        )
        with (
            running(Logged(_protected_app(known), known.server_log), bound),
            running(Logged(authorization, known.issuer_log), issuer_bound),
        ):
            yield known


def _protected_app(known: Protected) -> Starlette:
    server = tool_server(known.seen)
    app = server.streamable_http_app(
        json_response=True,  # so that a call's answer only begins when the call is done
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(known.issuer),
            resource_server_url=AnyHttpUrl(known.url),
            required_scopes=SCOPES,
            validate_token_resource=False,
        ),
        token_verifier=known.provider,
    )
    door = SseDoor(tool_server(known.seen))
    guarded = RequireAuthMiddleware(
        door, SCOPES, build_resource_metadata_url(AnyHttpUrl(known.sse_url))
    )
    backend = BearerAuthBackend(known.provider)
    return Starlette(
        routes=[
            Route("/sse", endpoint=guarded),
            Mount("/messages/", app=door.transport.handle_post_message),
            *create_protected_resource_routes(
                AnyHttpUrl(known.sse_url), [AnyHttpUrl(known.issuer)], SCOPES
            ),
            *app.routes,
        ],
        middleware=[Middleware(AuthenticationMiddleware, backend=backend)],
        lifespan=lambda _: server.session_manager.run(),
    )
