"""OAuth sign-in for servers: the SDK's flow, with tokens stored in the vault.

Adds what the SDK lacks: after a restart it knows when a token expires and where to refresh
it, refreshes it early and once for all waiting calls, allows concurrent calls, never sends a
token to an address other than its own, and keeps tokens out of errors and logs.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.client.auth.exceptions import OAuthTokenError
from mcp.client.auth.utils import (
    build_protected_resource_metadata_discovery_urls,
    create_oauth_metadata_request,
    issuers_match,
    union_scopes,
)
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthToken,
)
from pydantic import AnyUrl, ValidationError

from toolweave.access.mask import Masker
from toolweave.clock import Clock, SystemClock
from toolweave.errors import Denied, NotFound, ToolweaveError, Unavailable
from toolweave.network.addresses import AllowedHosts, address_denied, origin_of
from toolweave.network.client import invalid_response, request_origin
from toolweave.servers.definition import SignInClient
from toolweave.servers.identity_assertion import (
    AssertionExchange,
    check_token_endpoint,
    with_assertion,
)
from toolweave.servers.oauth_client import (
    JWT_BEARER,
    authentication_method,
    check_document,
    client_assertion,
    document_url,
    is_resource_metadata,
    missing_scopes,
    registered_client,
    requested_client,
)
from toolweave.servers.sign_in import Redirect, SignIn
from toolweave.servers.sign_in_entry import OAuthSecrets, sign_in_entry_name
from toolweave.servers.stored_sign_in import StoredSignIn
from toolweave.servers.transports.failures import (
    sign_in_required,
    status_error,
)

Flow = AsyncGenerator[httpx2.Request, httpx2.Response]

EARLY_S = 60.0
SDK_LOG = logging.getLogger("mcp.client.auth.oauth2")
REFUSED = frozenset({400, 401, 403})


def without_traceback(record: logging.LogRecord) -> bool:
    """Drop the traceback of a log record, because its text can contain tokens."""
    record.exc_info = record.exc_text = None
    return True


class VaultedOAuth(OAuthClientProvider):
    """The SDK's provider, initialised from the vault; without `sign_in`, nobody is asked.

    Requests raise `Denied` (`SERVER_SIGN_IN_REQUIRED`) if a person has to sign in. `client_url` is
    the address of the document that describes us as a client.
    """

    def __init__(
        self,
        server_name: str,
        url: str,
        store: OAuthSecrets,
        *,
        sign_in: SignIn | None,
        clock: Clock | None = None,
        client: SignInClient | None = None,
        client_url: str | None = None,
        anew: bool = False,
        masker: Masker | None = None,
    ) -> None:
        # The SDK changes the metadata during the flow.
        self._requested = requested_client(client)
        described = document_url(client, client_url)
        super().__init__(url, self._requested, self, client_metadata_url=described)
        SDK_LOG.addFilter(without_traceback)
        self.has_signed_in = False
        self._server_name = server_name
        self._url = url
        self._origin = origin_of(url)
        self._store = store
        self._sign_in = sign_in
        self._client = client
        self._is_alone = client is not None and client.is_alone
        self._assertion_fields: dict[str, str] | None = None
        self._bound_issuer = client.issuer if client else None
        self._is_renewing = False
        self._asked_scope: str | None = None
        self._missed_scope: str | None = None
        self._clock = clock or SystemClock()
        self._reads_vault = not anew
        self._asking = anyio.Lock()
        self._masker = masker or Masker()

    async def get_tokens(self) -> OAuthToken | None:
        """Return the stored tokens; the SDK's storage interface."""
        return self.context.current_tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store new tokens and everything needed to refresh them."""
        ends = None if tokens.expires_in is None else self._now() + tokens.expires_in
        self.context.token_expiry_time = ends
        if not self._is_renewing:
            self._asked_scope, self._missed_scope = self._requested.scope, None
        self._reads_vault = self.has_signed_in = True
        await self._save(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the stored client registration."""
        return self.context.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store nothing yet: an aborted sign-in must not lose the old registration."""

    async def _auth_flow(self, request: httpx2.Request) -> Flow:
        if origin_of(request.url) != self._origin:
            raise address_denied(
                f"the token of server {self._server_name!r} is valid for its own address only"
            )
        is_anew = not self._reads_vault
        response: httpx2.Response | None = None
        token: str | None = None
        rejected: str | None = None
        for _ in range(2):
            # Unlike in the SDK, not held while the request is running: a slow call
            # would block all others.
            async with self.context.lock:
                if self._is_stale(rejected):
                    await self._load()  # another process may have refreshed it
                if self._is_stale(rejected) and self.context.can_refresh_token():
                    await self._renewed((yield await self._refresh_token()))
                token = self._authorise(request)
            if response is not None and token == rejected:
                break
            response = yield request
            if response.status_code != 401:
                break
            rejected = token
        assert response is not None
        if await self._is_challenge(response):
            flow = self._ask(request, response, rejected=token)
        elif is_anew:
            flow = self._unasked(request)
        else:
            return
        async with self._asking, aclosing(flow) as asking:
            with suppress(StopAsyncIteration):
                outgoing = await anext(asking)
                while True:
                    outgoing = await asking.asend((yield outgoing))

    async def _unasked(self, request: httpx2.Request) -> Flow:
        """Let a person sign in to a server that answers, and may want a token for some calls."""
        for url in build_protected_resource_metadata_discovery_urls(None, self._url):
            if await is_resource_metadata((yield create_oauth_metadata_request(url))):
                break
        else:
            yield request  # the answer of the server, not of the search
            return
        challenge = httpx2.Response(401, request=request)
        async with aclosing(self._ask(request, challenge, rejected=None)) as asking:
            with suppress(StopAsyncIteration):
                outgoing = await anext(asking)
                while True:
                    outgoing = await asking.asend((yield outgoing))

    async def _is_challenge(self, response: httpx2.Response) -> bool:
        """Whether a token, or one with more scopes, is required and can be had here."""
        missed = missing_scopes(response)
        if response.status_code != 401 and missed is None:
            return False
        if missed is not None:
            await self._note_missing(missed)
        if self._sign_in is None and not self._is_alone:
            name = self._server_name
            raise sign_in_required(f"server {name!r}", server=name, scopes=missed)
        return True

    async def _ask(
        self, request: httpx2.Request, challenge: httpx2.Response, *, rejected: str | None
    ) -> Flow:
        """Run the SDK's interactive flow; return at once if another call just completed it."""
        if self._token() != rejected:
            self._authorise(request)
            yield request
            return
        await self._prepare(keeps_token=challenge.status_code == 403)
        redirect = await self._listen()
        self._initialized = True
        try:
            async with aclosing(super()._auth_flow(request)) as flow:
                outgoing = await anext(flow)
                while True:
                    if outgoing is request and not self.has_signed_in:
                        outgoing = await flow.asend(challenge)  # known: not sent a second time
                        continue
                    async with aclosing(self._steps(outgoing)) as steps:
                        step = await anext(steps)
                        response = yield step
                        with suppress(StopAsyncIteration):
                            while True:
                                step = await steps.asend(response)
                                response = yield step
                    if outgoing is not request:
                        await check_document(response)
                    outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        except OAuthFlowError as error:
            raise self._failed(error) from None
        finally:
            if redirect is not None:
                await redirect.aclose()

    async def _steps(self, request: httpx2.Request) -> Flow:
        """Yield a request of the SDK's flow; before one for a token by assertion, get it."""
        fields, client = self._assertion_fields, self._client
        if fields is None or client is None or client.identity is None:
            yield request
            return
        self._assertion_fields = None
        exchange = AssertionExchange(
            client.identity, self._expected_issuer(), self.context.get_resource_url()
        )
        async with aclosing(with_assertion(exchange, request, fields)) as steps:
            with suppress(StopAsyncIteration):
                outgoing = await anext(steps)
                while True:
                    outgoing = await steps.asend((yield outgoing))

    async def _prepare(self, *, keeps_token: bool) -> None:
        """Set up the SDK's flow: our own client if there is one, the scopes to ask for."""
        stored = await self._stored()
        scopes = self._client.scopes if self._client else ()
        if stored is not None:
            granted = None if scopes else stored.tokens.scope
            missed = self._missed_scope or stored.missed_scope
            self._missed_scope = union_scopes(granted, missed)
            self._bound_issuer = self._bound_issuer or stored.client.issuer
        self._requested.always_ask(scopes, self._missed_scope)
        # Otherwise registered again for this port: many servers compare it exactly.
        self.context.client_info = registered_client(self._client)
        if self._client is not None and self._client.issuer is not None:
            self.context.auth_server_url = self._client.issuer
        self.has_signed_in = False
        if not keeps_token:  # with it, the server repeats what is missing
            self.context.clear_tokens()

    async def _listen(self) -> Redirect | None:
        if self._is_alone:
            return None
        assert self._sign_in is not None
        port = self._client.callback_port if self._client else None
        redirect = await self._sign_in.listen(AllowedHosts(frozenset({self._origin})), port=port)
        self.context.client_metadata.redirect_uris = [AnyUrl(redirect.uri)]
        self.context.redirect_handler = redirect.show

        async def code() -> AuthorizationCodeResult:
            came = await redirect.result()
            return AuthorizationCodeResult(code=came.code, state=came.state, iss=came.iss)

        self.context.callback_handler = code
        return redirect

    def _select_authorization_server(self, advertised: list[str]) -> str:
        """Return the configured authorization server, else the first that the server names."""
        return self._client.issuer if self._client and self._client.issuer else advertised[0]

    async def _perform_authorization(self) -> httpx2.Request:
        """Ask for a code, or for tokens at once; a client's credentials go to its issuer only."""
        client, known = self._client, self.context.client_info
        if client is None or known is None or registered_client(client) is None:
            return await super()._perform_authorization()
        found = self._expected_issuer()
        if self._bound_issuer is not None and not issuers_match(found, self._bound_issuer):
            raise OAuthFlowError(
                f"the server names the authorization server {found}, but the client "
                f"{client.client_id!r} belongs to {self._bound_issuer}"
            )
        method = authentication_method(client, self.context.oauth_metadata)
        self.context.client_info = known.model_copy(
            update={"issuer": found, "token_endpoint_auth_method": method}
        )
        if self._is_alone:
            return await self._token_request(client, found)
        return await super()._perform_authorization()

    async def _token_request(self, client: SignInClient, issuer: str) -> httpx2.Request:
        """Return the request for tokens by the client's credentials, or by an assertion."""
        endpoint = self._get_token_endpoint()
        fields = {"grant_type": "client_credentials"}
        if client.identity is not None:
            check_token_endpoint(endpoint, issuer)
            fields = {"grant_type": JWT_BEARER}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if client.private_key is not None:
            fields |= await client_assertion(client, issuer)
        fields, headers = self.context.prepare_token_auth(fields, headers)
        fields["resource"] = self.context.get_resource_url()
        if self._requested.scope:
            fields["scope"] = self._requested.scope
        if client.identity is not None:
            self._assertion_fields = fields
        return httpx2.Request("POST", endpoint, data=fields, headers=headers)

    async def _note_missing(self, missed: str) -> None:
        """Remember the scopes that the server missed, so that the next sign-in asks for them.

        Raises `Denied`: `SERVER_SCOPE_REFUSED`, if they were asked for already.
        """
        tokens = self.context.current_tokens
        granted = tokens.scope if tokens is not None else None
        asked = union_scopes(self._asked_scope, granted) or ""
        if set(missed.split()) <= set(asked.split()):
            raise Denied(
                "SERVER_SCOPE_REFUSED",
                f"server {self._server_name!r} refuses this although the permissions "
                f"{missed!r} were asked for",
                hint="the signed-in account may not be allowed to do this; sign in with another",
            )
        self._missed_scope = union_scopes(asked or None, missed)
        if tokens is not None:
            await self._save(tokens)

    async def _renewed(self, response: httpx2.Response) -> None:
        spent = self.context.current_tokens
        if response.status_code == 200:
            self._is_renewing = True
            try:
                is_token = await self._handle_refresh_response(response)
            finally:
                self._is_renewing = False
            if not is_token:
                raise invalid_response(
                    request_origin(response.request), "its response is not a token"
                )
        elif response.status_code in REFUSED and spent is not None:
            await self._load()
            known = self.context.current_tokens
            if known is not None and known.refresh_token == spent.refresh_token:
                await self._save(spent.model_copy(update={"refresh_token": None}))
        elif self._ends_in() <= 0 and (failure := status_error(response)):
            raise failure

    async def _load(self) -> None:
        if not self._reads_vault:
            return
        stored = await self._stored()
        self.context.clear_tokens()
        if stored is None:
            return
        self.context.current_tokens = stored.tokens
        self.context.token_expiry_time = stored.expires_at
        own = registered_client(self._client)
        kept = ("issuer", "token_endpoint_auth_method")
        self.context.client_info = (
            own.model_copy(update={name: getattr(stored.client, name) for name in kept})
            if own is not None
            else stored.client
        )
        self._asked_scope, self._missed_scope = stored.asked_scope, stored.missed_scope
        self.context.oauth_metadata = stored.metadata
        self.context.protected_resource_metadata = stored.resource

    async def _stored(self) -> StoredSignIn | None:
        try:
            text = await self._store.get(sign_in_entry_name(self._server_name))
            stored = StoredSignIn.model_validate_json(text)
        except (NotFound, ValidationError):
            return None
        own = registered_client(self._client)
        is_same = own is None or own.client_id == stored.client.client_id
        return stored if stored.url == self._url and is_same else None

    async def _save(self, tokens: OAuthToken) -> None:
        self.context.current_tokens = tokens
        assert self.context.client_info is not None
        stored = StoredSignIn(
            url=self._url,
            client=self.context.client_info,
            tokens=tokens,
            expires_at=self.context.token_expiry_time,
            metadata=self.context.oauth_metadata,
            resource=self.context.protected_resource_metadata,
            asked_scope=self._asked_scope,
            missed_scope=self._missed_scope,
        )
        await self._store.put(sign_in_entry_name(self._server_name), stored.model_dump_json())

    def _authorise(self, request: httpx2.Request) -> str | None:
        token = self._token()
        if token is not None:
            self._masker.learn([token])
            request.headers["authorization"] = f"Bearer {token}"
        return token

    def _token(self) -> str | None:
        tokens = self.context.current_tokens
        return tokens.access_token if tokens is not None else None

    def _is_stale(self, rejected: str | None) -> bool:
        tokens = self.context.current_tokens
        if tokens is None or tokens.access_token == rejected:
            return True
        lifetime_s = tokens.expires_in if tokens.expires_in is not None else 2 * EARLY_S
        return self._ends_in() <= min(EARLY_S, lifetime_s / 2)

    def _ends_in(self) -> float:
        ends = self.context.token_expiry_time
        return float("inf") if ends is None else ends - self._now()

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _failed(self, error: OAuthFlowError) -> ToolweaveError:
        why, hint = str(error)[:300], None
        if isinstance(error, OAuthRegistrationError):
            why = "its authorization server does not allow client registration"
            hint = "register a client with the service, and add the server with `--client-id ID`"
        elif isinstance(error, OAuthTokenError):
            why, hint = "its authorization server gave no token", "start the sign-in again"
        message = f"signing in to server {self._server_name!r} failed: {why}"
        return Unavailable("SERVER_SIGN_IN_FAILED", message, hint=hint)
