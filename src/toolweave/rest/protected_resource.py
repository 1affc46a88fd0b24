"""What MCP clients learn about signing in to `/mcp`: metadata, the challenge of a 401 or 403.

Addresses are those of the request's own host, which the guard has checked.
"""

from starlette.datastructures import Headers
from starlette.types import Scope

from toolweave.access.oauth_grants import DEFAULT_SCOPES, GRANTABLE

MCP_PATHS = ("/mcp", "/mcp/")
RESOURCE = "/.well-known/oauth-protected-resource"


def base_url(scope: Scope) -> str:
    """Return the address under which the client reached us."""
    return f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"


def resource_metadata(base: str) -> dict[str, object]:
    """Describe `/mcp` as a protected resource (RFC 9728)."""
    return {
        "resource": f"{base}/mcp",
        "authorization_servers": [base],
        "scopes_supported": [*DEFAULT_SCOPES],  # clients ask for all that they read here
        "bearer_methods_supported": ["header"],
        "resource_name": "Toolweave",
    }


def server_metadata(base: str) -> dict[str, object]:
    """Describe our authorization server (RFC 8414)."""
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "scopes_supported": [*GRANTABLE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


def challenge(scope: Scope, *, missing: str | None = None, is_known: bool = False) -> str:
    """Return the `WWW-Authenticate` of a refused request to `/mcp`.

    `missing` is a scope that the key lacks; `is_known` says that a token was sent.
    """
    parts = ['Bearer realm="toolweave"']
    if missing is not None:
        parts.append('error="insufficient_scope"')
    elif is_known:
        parts.append('error="invalid_token"')
    wanted = " ".join(dict.fromkeys((*DEFAULT_SCOPES, *((missing or "").split()))))
    parts.append(f'resource_metadata="{base_url(scope)}{RESOURCE}/mcp"')
    parts.append(f'scope="{wanted if missing is None else missing}"')
    return ", ".join(parts)
