"""OAuth for services: a code for tokens (PKCE), tokens in the vault, renewed before they end.

`${vault:NAME}` is always the access token of the moment. Renewals are one at a time; a refresh
token that the service replaced takes the old one's place in the same write.
"""

import base64
import hashlib
import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolweave.access.mask import Masker
from toolweave.clock import Clock
from toolweave.credentials.store import CredentialSecrets
from toolweave.errors import Denied, Invalid, NotFound, Unavailable
from toolweave.json_text import Json

PREFIX = "oauth-tokens:"
EARLY_S = 120.0


class Post(Protocol):
    """Sends a form through the checked client; the status and the JSON of the answer."""

    async def __call__(self, url: str, form: dict[str, str]) -> tuple[int, Json]: ...


class OAuthClient(BaseModel):
    """Who we are to an authorization server, and where it is."""

    model_config = ConfigDict(frozen=True)

    client_id: str
    client_secret: str | None = Field(None, repr=False)
    authorize_url: str
    token_url: str
    scopes: tuple[str, ...] = ()
    # What some want besides, such as `access_type=offline`.
    extra: dict[str, str] = Field(default_factory=dict)


class StoredTokens(BaseModel):
    """All that is needed to renew, as one entry of the vault."""

    model_config = ConfigDict(frozen=True)

    client: OAuthClient
    access_token: str = Field(repr=False)
    refresh_token: str | None = Field(None, repr=False)
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in under way: the page for the person, and what proves that the end is its end."""

    url: str
    redirect_uri: str
    state: str
    verifier: str = field(repr=False)


class OAuthTokens:
    """Tokens of services by the names of their credentials."""

    def __init__(
        self, vault: CredentialSecrets, post: Post, *, masker: Masker, clock: Clock
    ) -> None:
        self._vault = vault
        self._post = post
        self._masker = masker
        self._clock = clock
        self._renewing: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    def begin(self, client: OAuthClient, redirect_uri: str) -> Begun:
        """Where to send the person; `redirect_uri` is where their browser comes back to."""
        verifier, state = secrets.token_urlsafe(64), secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(client.scopes),
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            **client.extra,
        }
        separator = "&" if "?" in client.authorize_url else "?"
        url = f"{client.authorize_url}{separator}{urlencode(query)}"
        return Begun(url, redirect_uri, state, verifier)

    async def finish(
        self, name: str, client: OAuthClient, begun: Begun, code: str, *, hosts: Iterable[str]
    ) -> None:
        """Exchange the returned code for tokens and store them; they go only to `hosts`.

        Raises `Denied`: `SERVICE_SIGN_IN_NEEDED`.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": begun.redirect_uri,
            "code_verifier": begun.verifier,
        }
        self._masker.learn([code, begun.verifier])
        await self._save(name, await self._asked(name, client, form, None), hosts)

    async def fresh(self, name: str, *, refused: str | None = None) -> str:
        """An access token that is good for a while; `refused` is one that did not do.

        Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING`; `Denied`: `SERVICE_SIGN_IN_NEEDED` where
        only a person can help; `Unavailable`: `SERVICE_UNAVAILABLE` where the service cannot be
        asked.
        """
        stored = await self._stored(name)
        if not self._is_due(stored, refused):
            return stored.access_token
        async with self._renewing[name]:
            stored = await self._stored(name)  # somebody may have renewed it meanwhile
            if not self._is_due(stored, refused):
                return stored.access_token
            if stored.refresh_token is None:
                raise sign_in_needed(name, "its token ended and there is none to renew it")
            form = {"grant_type": "refresh_token", "refresh_token": stored.refresh_token}
            try:
                renewed = await self._asked(name, stored.client, form, stored.refresh_token)
            except Denied:
                again = await self._stored(name)
                if again.access_token != stored.access_token:
                    return again.access_token  # another process was quicker
                raise
            await self._save(name, renewed)
            return renewed.access_token

    async def client_of(self, name: str) -> OAuthClient:
        """Who we are to the service of a credential. Raises `SERVICE_CREDENTIAL_MISSING`."""
        return (await self._stored(name)).client

    async def exchange(self, name: str, client: OAuthClient, refresh_token: str) -> StoredTokens:
        """Return tokens for a refresh token that is stored elsewhere; nothing is stored."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._asked(name, client, form, refresh_token)

    async def forget(self, name: str) -> None:
        """Take the tokens of a credential out of the vault."""
        if PREFIX + name in await self._vault.names():
            await self._vault.delete(PREFIX + name)

    async def _asked(
        self, name: str, client: OAuthClient, form: dict[str, str], refresh_token: str | None
    ) -> StoredTokens:
        whole = {**form, "client_id": client.client_id}
        if client.client_secret is not None:
            whole["client_secret"] = client.client_secret
            self._masker.learn([client.client_secret])
        status, told = await self._post(client.token_url, whole)
        answer = told if isinstance(told, dict) else {}
        access = answer.get("access_token")
        if status >= 500:
            message = f"the authorization server of {name!r} failed with status {status}"
            raise Unavailable("SERVICE_UNAVAILABLE", message)
        if status >= 400 or not isinstance(access, str):
            # Its own word is short and no secret; its description may repeat what we sent.
            why = str(answer.get("error") or f"status {status}")[:60]
            raise sign_in_needed(name, f"the authorization server says {why!r}")
        rotated, lasts_s = answer.get("refresh_token"), answer.get("expires_in")
        tokens = StoredTokens(
            client=client,
            access_token=access,
            refresh_token=rotated if isinstance(rotated, str) else refresh_token,
            expires_at=self._now() + lasts_s if isinstance(lasts_s, int | float) else None,
        )
        self._masker.learn([access, tokens.refresh_token or ""])
        return tokens

    async def _stored(self, name: str) -> StoredTokens:
        try:
            found = StoredTokens.model_validate_json(await self._vault.get(PREFIX + name))
        except (NotFound, ValidationError):
            message = f"nobody signed in for the credential {name!r}"
            hint = f"sign in: `toolweave services add {name} --client-id ID`"
            raise NotFound("SERVICE_CREDENTIAL_MISSING", message, hint=hint) from None
        self._masker.learn([found.access_token, found.refresh_token or ""])
        return found

    async def _save(self, name: str, tokens: StoredTokens, hosts: Iterable[str] = ()) -> None:
        # What renews comes first: without it, a cut between the two would cost the sign-in.
        await self._vault.put(PREFIX + name, tokens.model_dump_json())
        bound = list(hosts)
        if bound:
            by = f"credential {name!r}"
            await self._vault.store(name, tokens.access_token, hosts=bound, by=by)
        else:  # a renewed token goes where the earlier one went
            await self._vault.put(name, tokens.access_token)

    def _is_due(self, stored: StoredTokens, refused: str | None) -> bool:
        if stored.access_token == refused:
            return True
        return stored.expires_at is not None and stored.expires_at - self._now() <= EARLY_S

    def _now(self) -> float:
        return self._clock.now().timestamp()


def sign_in_needed(name: str, why: str) -> Denied:
    """Only a person can help now."""
    return Denied(
        "SERVICE_SIGN_IN_NEEDED",
        f"the credential {name!r} cannot be renewed: {why}",
        hint=f"sign in again: `toolweave services add {name} --client-id ID`",
    )


def check_client(client: OAuthClient) -> None:
    """Go on only with addresses a browser and we may be sent to."""
    for url in (client.authorize_url, client.token_url):
        if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
            raise Invalid(
                "SERVICE_ADDRESS_INVALID",
                f"{url[:200]!r} is no https address",
                hint="give --authorize-url and --token-url of the service",
            )
