"""The OAuth client we are to an authorization server, and the checks of what such a server says.

In this order: a client registered by hand, one described by a document at an https address, one
registered on the way. Credentials belong to one issuer and are sent to no other.
"""

from importlib import import_module
from typing import Any, cast

import httpx2
from mcp.client.auth.utils import (
    extract_field_from_www_auth,
    extract_scope_from_www_auth,
    handle_protected_resource_response,
    is_valid_client_metadata_url,
    union_scopes,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata
from pydantic import PrivateAttr

from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import read
from toolweave.network.client import request_origin
from toolweave.servers.definition import SignInClient

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
DOCUMENT_BYTES = 256 * 1024
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# What a browser or the next request is sent to.
_ENDPOINTS = (
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
)
_WELL_KNOWN = "/.well-known/"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class RequestedClient(OAuthClientMetadata):
    """What we ask for; scopes that a definition names or a server missed are always in it."""

    _scopes: tuple[str, ...] = PrivateAttr(default=())
    _missed: str | None = PrivateAttr(default=None)

    def always_ask(self, scopes: tuple[str, ...], missed: str | None) -> None:
        """Set the scopes that replace those a server names, and those added to them."""
        self._scopes, self._missed = scopes, missed

    def __setattr__(self, name: str, value: object) -> None:
        """Set a field; the SDK sets `scope` to what the server named."""
        if name == "scope":
            named = " ".join(self._scopes) or cast("str | None", value)
            value = union_scopes(named, self._missed)
        super().__setattr__(name, value)


def requested_client(client: SignInClient | None) -> RequestedClient:
    """Return the metadata to register or to ask with; the redirect is set once it is known."""
    grants = ["authorization_code", "refresh_token"]
    if client is not None and client.is_alone:
        grants = [_grant_type(client)]
    return RequestedClient(client_name="Toolweave", redirect_uris=None, grant_types=grants)


def document_url(client: SignInClient | None, default: str | None) -> str | None:
    """Return the address of the document that describes us as a client, if there is one."""
    if client is None or client.client_id is None:
        return default if is_valid_client_metadata_url(default) else None
    return client.client_id if is_described(client) else None


def is_described(client: SignInClient) -> bool:
    """Whether the client id is the address of a document."""
    has_key = client.client_secret is not None or client.private_key is not None
    return not has_key and is_valid_client_metadata_url(client.client_id)


def registered_client(client: SignInClient | None) -> OAuthClientInformationFull | None:
    """Return the client that was registered by hand."""
    if client is None or client.client_id is None or is_described(client):
        return None
    return OAuthClientInformationFull(
        client_id=client.client_id,
        client_secret=client.client_secret,
        grant_types=[_grant_type(client)],
        scope=" ".join(client.scopes) or None,
    )


def _grant_type(client: SignInClient) -> str:
    return JWT_BEARER if client.grant == "identity_assertion" else client.grant


def authentication_method(client: SignInClient, metadata: OAuthMetadata | None) -> str:
    """Return how a registered client proves itself, as far as the server supports it."""
    if client.private_key is not None:
        return "private_key_jwt"
    if client.client_secret is None:
        return "none"
    supported = metadata.token_endpoint_auth_methods_supported if metadata else None
    if supported and "client_secret_basic" not in supported and "client_secret_post" in supported:
        return "client_secret_post"
    return "client_secret_basic"


async def client_assertion(client: SignInClient, issuer: str) -> dict[str, str]:
    """Return the fields by which a client proves that it has its private key.

    Raises `Invalid`: `SERVER_PRIVATE_KEY_INVALID`.
    """
    assert client.client_id is not None
    assert client.private_key is not None
    # Imported here: signing is rare, and its code is large.
    signing = import_module("mcp.client.auth.extensions.client_credentials")
    try:
        parameters = signing.SignedJWTParameters(
            issuer=client.client_id,
            subject=client.client_id,
            signing_key=client.private_key,
            signing_algorithm=_algorithm(client.private_key),
        )
        signed = await parameters.create_assertion_provider()(issuer)
    except (ValueError, TypeError):
        raise Invalid(
            "SERVER_PRIVATE_KEY_INVALID",
            "the private key of the OAuth client cannot be used",
            hint="store an unencrypted RSA, EC or Ed25519 key in PEM format in the vault",
        ) from None
    return {
        "client_id": client.client_id,
        "client_assertion_type": ASSERTION,
        "client_assertion": signed,
    }


def _algorithm(pem: str) -> str:
    # Any: of the library's key classes, by name, so that they are imported only here.
    load: Any = import_module("cryptography.hazmat.primitives.serialization").load_pem_private_key
    key = load(pem.encode(), None)
    match type(key).__name__.lower():
        case name if "rsa" in name:
            return "RS256"
        case name if "ed25519" in name:
            return "EdDSA"
        case name if "elliptic" in name or name.startswith("ec"):
            return {256: "ES256", 384: "ES384", 521: "ES512"}[key.curve.key_size]
        case _:
            raise ValueError


async def check_document(response: httpx2.Response) -> None:
    """Refuse what a hostile authorization server could answer during a sign-in.

    Raises `Unavailable`: `SERVER_SIGN_IN_FAILED`.
    """
    where = request_origin(response.request)
    if response.status_code in _REDIRECTS:
        raise sign_in_failed(f"{where} redirects a request of the sign-in, which is not followed")
    if _WELL_KNOWN not in response.request.url.path or response.status_code != 200:
        return
    content = await response.aread()
    if len(content) > DOCUMENT_BYTES:
        raise sign_in_failed(f"{where} sent a metadata document of over {DOCUMENT_BYTES} bytes")
    try:
        document = read(content, max_bytes=DOCUMENT_BYTES)
    except Invalid:
        return  # a page for people, as some servers answer everything; the SDK looks elsewhere
    if not isinstance(document, dict):
        return
    for name in _ENDPOINTS:
        address = document.get(name)
        if address is None:
            continue
        if not isinstance(address, str) or not address.lower().startswith(("http://", "https://")):
            raise sign_in_failed(f"{where} names an {name} that is not an http(s) address")


async def is_resource_metadata(response: httpx2.Response) -> bool:
    """Whether a response is the document by which a server names its authorization servers."""
    await check_document(response)
    return await handle_protected_resource_response(response) is not None


def sign_in_failed(why: str) -> Unavailable:
    """Return the error of a sign-in that was given up."""
    return Unavailable("SERVER_SIGN_IN_FAILED", f"signing in failed: {why}")


def missing_scopes(response: httpx2.Response) -> str | None:
    """Return the scopes that a 403 says are missing; `None` if it is about something else."""
    if response.status_code != 403:
        return None
    if extract_field_from_www_auth(response, "error") != "insufficient_scope":
        return None
    return extract_scope_from_www_auth(response) or ""
