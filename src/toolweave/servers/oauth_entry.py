"""The OAuth client in a server's entry, as other clients write it.

Claude Code: `{"clientId", "callbackPort", "authServerMetadataUrl", "scopes"}`; others write them
in snake case, `scope` as one text, or a literal `clientSecret`. A literal secret is not taken
over: definitions hold references to the vault only.
"""

from collections.abc import Iterator
from typing import cast
from urllib.parse import urlsplit

from pydantic import ValidationError

from toolweave.patterns import pattern
from toolweave.servers.definition import SignInClient

_REFERENCE = pattern(r"\$\{[^{}]{1,200}\}")
_NAMES = {
    "client_id": ("clientId", "client_id", "CLIENT_ID"),
    "client_secret": ("clientSecret", "client_secret", "CLIENT_SECRET"),
    "private_key": ("privateKey", "private_key"),
    "grant": ("grantType", "grant_type", "grant"),
    "issuer": ("issuer",),
    "metadata_url": ("authServerMetadataUrl", "auth_server_metadata_url"),
    "scopes": ("scopes", "scope"),
    "callback_port": ("callbackPort", "callback_port"),
}
_SECRETS = ("client_secret", "private_key")
# Where a document that describes an authorization server is, below its host or its address.
_WELL_KNOWN = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")

Ignored = tuple[str, str, str | None]


def read_oauth_client(entry: dict[str, object]) -> tuple[SignInClient | None, list[Ignored]]:
    """Return the client in `entry`, `None` if it names none, and the keys that were ignored."""
    fields: dict[str, object] = {}
    ignored: list[Ignored] = []
    for name, key, value in _given(entry):
        if name in _SECRETS and not (isinstance(value, str) and _REFERENCE.fullmatch(value)):
            message = f"{key!r} is a secret as text, which is not taken over"
            hint = "`toolweave secrets set NAME`, then write `${vault:NAME}` here"
            ignored.append((key, message, hint))
        elif name == "metadata_url":
            issuer = _issuer_of(value)
            if issuer is None:
                hint = "use an address with `/.well-known/oauth-authorization-server`"
                ignored.append((key, f"{key!r} is not the address of such a document", hint))
            else:
                fields["issuer"] = issuer
        else:
            fields[name] = _scopes(value) if name == "scopes" else value
    try:
        client = SignInClient.model_validate(fields)
    except ValidationError as error:
        wrong = sorted({str(each["loc"][0]) if each["loc"] else "" for each in error.errors()})
        message = f"its OAuth client cannot be used: {', '.join(wrong) or 'incomplete'}"
        return None, [*ignored, ("", message, "sign in with the default client, or correct it")]
    return (client if client != SignInClient() else None), ignored


def _given(entry: dict[str, object]) -> Iterator[tuple[str, str, object]]:
    for name, keys in _NAMES.items():
        for key in keys:
            if entry.get(key) not in (None, "", []):
                yield name, key, entry[key]
                break


def _scopes(value: object) -> object:
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


def _issuer_of(value: object) -> str | None:
    """Return the authorization server whose document is at an address."""
    if not isinstance(value, str) or not value.startswith(("https://", "http://")):
        return None
    parts = urlsplit(value)
    for marker in _WELL_KNOWN:
        if parts.path.startswith(marker):
            return f"{parts.scheme}://{parts.netloc}{parts.path.removeprefix(marker)}"
        if parts.path.endswith(marker):
            return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix(marker)}"
    return None
