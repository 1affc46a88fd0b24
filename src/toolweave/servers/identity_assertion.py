"""Access by a company's identity provider (enterprise-managed authorization of MCP).

The identity token of a person is exchanged at the provider for an assertion (ID-JAG) that is valid
for one authorization server and one MCP server; with it the authorization server gives access
without asking anybody. Both servers are configured: what the MCP server says about them is never
enough to send either token anywhere.
"""

import base64
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from urllib.parse import quote

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    create_oauth_metadata_request,
    issuers_match,
)

from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import JsonObject, read
from toolweave.network.addresses import origin_of
from toolweave.network.client import request_origin
from toolweave.patterns import pattern
from toolweave.servers.definition import IdentityProvider, is_protected_url
from toolweave.servers.oauth_client import DOCUMENT_BYTES, check_document, sign_in_failed

Steps = AsyncGenerator[httpx2.Request, httpx2.Response]

TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN_TYPE = "urn:ietf:params:oauth:token-type:"
ID_JAG = f"{TOKEN_TYPE}id-jag"
FORM = {"content-type": "application/x-www-form-urlencoded"}
MAX_ASSERTION_CHARS = 64 * 1024
# An OAuth error code; anything else that a server says is not repeated.
_CODE = pattern(r"[a-z_]{1,60}")
OK = 200


class AssertionExchange:
    """One exchange of an identity token for an assertion; `assertion` has it after `steps`."""

    def __init__(self, provider: IdentityProvider, audience: str, resource: str) -> None:
        self._provider = provider
        self._audience = audience
        self._resource = resource
        self.assertion = ""

    async def steps(self, scope: str | None) -> Steps:
        """Yield the requests to the identity provider.

        Raises `Unavailable`: `SERVER_SIGN_IN_FAILED`.
        """
        metadata: JsonObject | None = None
        issuer = self._provider.issuer
        for url in build_oauth_authorization_server_metadata_discovery_urls(issuer, issuer):
            metadata = await _metadata((yield create_oauth_metadata_request(url)), issuer)
            if metadata is not None:
                break
        if metadata is None:
            raise sign_in_failed(f"the identity provider {issuer} has no metadata")
        response = yield self._request(metadata, scope)
        self.assertion = await self._assertion(response)

    def _request(self, metadata: JsonObject, scope: str | None) -> httpx2.Request:
        provider = self._provider
        endpoint = metadata.get("token_endpoint")
        if not isinstance(endpoint, str) or not is_protected_url(endpoint):
            raise sign_in_failed(
                f"the identity provider {provider.issuer} names no https address for tokens"
            )
        fields = {
            "grant_type": TOKEN_EXCHANGE,
            "requested_token_type": ID_JAG,
            "audience": self._audience,
            "resource": self._resource,
            "subject_token": provider.token,
            "subject_token_type": f"{TOKEN_TYPE}{provider.token_type}",
            "client_id": provider.client_id,
        }
        if scope:
            fields["scope"] = scope
        headers = dict(FORM)
        if provider.client_secret is not None:
            methods = metadata.get("token_endpoint_auth_methods_supported")
            known = methods if isinstance(methods, list) else []
            if "client_secret_post" in known and "client_secret_basic" not in known:
                fields["client_secret"] = provider.client_secret
            else:
                headers["authorization"] = _basic(provider.client_id, provider.client_secret)
        return httpx2.Request("POST", endpoint, data=fields, headers=headers)

    async def _assertion(self, response: httpx2.Response) -> str:
        where = f"the identity provider {self._provider.issuer}"
        await check_document(response)
        found = await _json(response)
        if response.status_code != OK:
            code = found.get("error") if found else None
            known = code if isinstance(code, str) and _CODE.fullmatch(code) else "no OAuth error"
            raise Unavailable(
                "SERVER_SIGN_IN_FAILED",
                f"{where} did not exchange the identity token: "
                f"{known} (HTTP {response.status_code})",
                hint="store a current identity token with `toolweave secrets set NAME`",
            )
        assertion = found.get("access_token") if found else None
        is_grant = found is not None and found.get("issued_token_type") == ID_JAG
        is_text = isinstance(assertion, str) and 0 < len(assertion) <= MAX_ASSERTION_CHARS
        if not (is_grant and is_text):
            raise sign_in_failed(f"{where} answered with something else than an ID-JAG")
        assert isinstance(assertion, str)
        return assertion


async def with_assertion(
    exchange: AssertionExchange, request: httpx2.Request, fields: dict[str, str]
) -> Steps:
    """Yield the requests to the identity provider, then the token request with the assertion."""
    async with aclosing(exchange.steps(fields.get("scope"))) as steps:
        with suppress(StopAsyncIteration):
            outgoing = await anext(steps)
            while True:
                outgoing = await steps.asend((yield outgoing))
    filled = {**fields, "assertion": exchange.assertion}
    headers = {
        name: value for name, value in request.headers.items() if name.lower() in _KEPT_HEADERS
    }
    yield httpx2.Request("POST", request.url, data=filled, headers=headers)


_KEPT_HEADERS = frozenset({"authorization", "content-type"})


def check_token_endpoint(endpoint: str, issuer: str) -> None:
    """Refuse to send an assertion to another place than its authorization server.

    Raises `Unavailable`: `SERVER_SIGN_IN_FAILED`.
    """
    if origin_of(endpoint) != origin_of(issuer):
        raise sign_in_failed(
            f"the authorization server {issuer} wants tokens to be requested from {endpoint}, "
            "which is another origin"
        )


async def _metadata(response: httpx2.Response, issuer: str) -> JsonObject | None:
    await check_document(response)
    if response.status_code != OK:
        return None
    found = await _json(response)
    if found is None:
        return None
    named = found.get("issuer")
    if not isinstance(named, str) or not issuers_match(named, issuer):
        raise sign_in_failed(
            f"{request_origin(response.request)} describes another issuer than {issuer}"
        )
    return found


async def _json(response: httpx2.Response) -> JsonObject | None:
    content = await response.aread()
    try:
        found = read(content, max_bytes=DOCUMENT_BYTES)
    except Invalid:
        return None
    return found if isinstance(found, dict) else None


def _basic(client_id: str, secret: str) -> str:
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
