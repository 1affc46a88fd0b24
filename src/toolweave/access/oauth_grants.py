"""Access granted with OAuth: a code, exchanged once for a key that its program can renew.

The token is an API key with an end; all that is stored of codes, keys and renewals is a hash.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from toolweave.access.keys import SCOPES, ApiKeys, KeyId
from toolweave.access.oauth_clients import LOOPBACK, ConnectingClient, OAuthClients
from toolweave.clock import has_passed, timestamp
from toolweave.errors import Invalid, NotFound
from toolweave.patterns import pattern
from toolweave.storage.database import Database

CODE_S = 60
TOKEN_S = 3_600
RENEWAL_DAYS = 30
MAX_STATE = 4_000
# What programs may ask for; keys with the other scopes are created by hand.
GRANTABLE = tuple(scope for scope in SCOPES if scope not in ("servers:admin", "admin"))
# What a program gets that asks for nothing in particular, if the person agrees.
DEFAULT_SCOPES = ("tools:read", "tools:execute", "workflows:read", "workflows:run")
_RENEWAL = "twr_"
_BELONGS = "UPDATE oauth_codes SET key_id = ? WHERE hash = ? AND key_id IS NULL"
_CHALLENGE = pattern(r"[A-Za-z0-9_-]{43}")
_VERIFIER = pattern(r"[A-Za-z0-9._~-]{43,128}")


class OAuthError(Exception):
    """An error that the program is told, in OAuth's own words."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status


class RequestRefused(OAuthError):
    """An error of an authorization request whose redirect is right: the browser may return there.

    `is_local` says whether that is a program on the person's own machine.
    """

    def __init__(self, location: str, error: str, description: str, *, is_local: bool) -> None:
        super().__init__(error, description)
        self.location = location
        self.is_local = is_local


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """What a program asks for, after all checks."""

    client: ConnectingClient
    redirect: str
    scopes: tuple[str, ...]
    challenge: str
    issuer: str
    state: str | None = None

    @property
    def destination(self) -> str:
        """Where the browser is sent with the code, for the person to see."""
        parts = urlsplit(self.redirect)
        return parts.netloc or f"{parts.scheme}:"

    @property
    def is_local(self) -> bool:
        """Whether the code goes to a program on the person's own machine."""
        return urlsplit(self.redirect).hostname in LOOPBACK

    def answer(self, **fields: str) -> str:
        """Return the address of the redirect with these fields."""
        state = {"state": self.state} if self.state is not None else {}
        query = urlencode({**fields, **state, "iss": self.issuer})
        return f"{self.redirect}{'&' if urlsplit(self.redirect).query else '?'}{query}"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a code stands for."""

    client_id: str
    client_name: str
    redirect: str
    challenge: str
    scopes: tuple[str, ...]
    tools: tuple[str, ...]


class OAuthGrants:
    """Checks requests, gives codes, exchanges them for keys, renews and revokes these."""

    def __init__(self, database: Database, keys: ApiKeys, clients: OAuthClients) -> None:
        self._database = database
        self._keys = keys
        self._clock = keys.clock
        self.clients = clients

    async def read_request(self, given: Mapping[str, str], issuer: str) -> AccessRequest:
        """Return what a program asks for.

        Raises `Invalid`: `OAUTH_CLIENT_INVALID`, `OAUTH_REDIRECT_INVALID`: nobody is redirected;
        `RequestRefused`: the program is told by the redirect.
        """
        client = await self.clients.find(given.get("client_id", ""))
        redirect = given.get("redirect_uri", "")
        if not client.accepts(redirect):
            raise Invalid(
                "OAUTH_REDIRECT_INVALID",
                "the address to return to is not one that this program registered",
                hint="the program, or the page that sent you here, is at fault; close this page",
            )
        asked = [scope for scope in given.get("scope", "").split() if scope in GRANTABLE]
        state = given.get("state")
        request = AccessRequest(
            client,
            redirect,
            tuple(dict.fromkeys(asked)) or DEFAULT_SCOPES,
            given.get("code_challenge", ""),
            issuer,
            state,
        )
        if fault := _fault(given, issuer):
            error, description = fault
            location = request.answer(error=error, error_description=description)
            raise RequestRefused(location, error, description, is_local=request.is_local)
        return request

    async def approve(
        self, request: AccessRequest, scopes: Sequence[str], tools: Sequence[str]
    ) -> str:
        """Give a code for these scopes and tools; return where the browser goes with it."""
        if not scopes or not set(scopes) <= set(GRANTABLE):
            raise Invalid(
                "SCOPE_UNKNOWN",
                "grant at least one scope, and none that is for keys only",
                hint="scopes are " + ", ".join(GRANTABLE),
            )
        self._keys.require_sensible(scopes, tools)
        code, now = secrets.token_urlsafe(32), self._clock.now()
        client = request.client
        asked = _Asked(
            client.id,
            client.name,
            request.redirect,
            request.challenge,
            tuple(scopes),
            tuple(tools),
        )
        await self._database.execute("DELETE FROM oauth_codes WHERE expires_at < ?", timestamp(now))
        await self._database.execute(
            "INSERT INTO oauth_codes (hash, asked, expires_at) VALUES (?, ?, ?)",
            _hash(code),
            json.dumps(asdict(asked)),
            timestamp(now + timedelta(seconds=CODE_S)),
        )
        return request.answer(code=code)

    def refuse(self, request: AccessRequest) -> str:
        """Return where the browser goes after the person said no."""
        return request.answer(error="access_denied", error_description="the person said no")

    async def token(self, given: Mapping[str, str], issuer: str) -> dict[str, object]:
        """Return the tokens for a code or a renewal. Raises `OAuthError`."""
        resource = given.get("resource")
        if resource is not None and not _is_ours(resource, issuer):
            raise OAuthError("invalid_target", "this server does not give tokens for it")
        match given.get("grant_type"):
            case "authorization_code":
                return await self._exchange(given)
            case "refresh_token":
                return await self._renew(given)
            case _:
                raise OAuthError("unsupported_grant_type", "use a code or a refresh token")

    async def revoke(self, given: Mapping[str, str]) -> None:
        """Revoke the grant of a token or renewal, if it is one."""
        text = given.get("token", "")
        key = await self._keys.check(text)
        row = await self._database.row(
            "SELECT key_id FROM oauth_grants WHERE refresh_hash = ? OR key_id = ?",
            _hash(text),
            key.id if key is not None else "",
        )
        if row is not None:
            await self._end(row[0])

    async def _exchange(self, given: Mapping[str, str]) -> dict[str, object]:
        wanted, now = _hash(given.get("code", "")), self._clock.now()
        taken = await self._database.execute(
            "UPDATE oauth_codes SET used_at = ? WHERE hash = ? AND used_at IS NULL",
            timestamp(now),
            wanted,
        )
        row = await self._database.row(
            "SELECT asked, expires_at, key_id FROM oauth_codes WHERE hash = ?", wanted
        )
        if row is None:
            raise OAuthError("invalid_grant", "the code is unknown or was used")
        if not taken:
            # Somebody else may have had it: what it was exchanged for ends as well, or will.
            if not await self._database.execute(_BELONGS, "", wanted) and row[2]:
                await self._end(row[2])
            raise OAuthError("invalid_grant", "the code is unknown or was used")
        asked = _read_asked(row[0])
        is_right = (
            _is_same(asked["client_id"], given.get("client_id", ""))
            and _is_same(asked["redirect"], given.get("redirect_uri", ""))
            and _proves(given.get("code_verifier", ""), asked["challenge"])
        )
        if not is_right or has_passed(row[1], now):
            raise OAuthError("invalid_grant", "the code does not belong to this request")
        key, text = await self._keys.create(
            f"{asked['client_name']} (OAuth)",
            list(asked["scopes"]),
            asked["tools"],
            client=asked["client_id"],
            lifetime_s=TOKEN_S,
        )
        family = secrets.token_urlsafe(16)
        renewal = _renewal_of(family)
        await self._database.execute(
            "INSERT INTO oauth_grants (key_id, client_id, refresh_hash, spent_hash, expires_at) "
            "VALUES (?, ?, ?, ?, ?)",
            key.id,
            asked["client_id"],
            _hash(renewal),
            _hash(family),
            self._renewal_end(),
        )
        if not await self._database.execute(_BELONGS, key.id, wanted):
            await self._end(key.id)  # the code was used once more meanwhile
            raise OAuthError("invalid_grant", "the code is unknown or was used")
        return _tokens(text, renewal, asked["scopes"])

    async def _renew(self, given: Mapping[str, str]) -> dict[str, object]:
        text = given.get("refresh_token", "")
        spent, family = _hash(text), _family_of(text) or secrets.token_urlsafe(16)
        row = await self._database.row(
            "SELECT key_id, client_id, refresh_hash, expires_at FROM oauth_grants "
            "WHERE refresh_hash = ? OR spent_hash = ? OR spent_hash = ?",
            spent,
            spent,
            _hash(family),
        )
        if row is None or not _is_same(row[1], given.get("client_id", "")):
            raise OAuthError("invalid_grant", "the refresh token is unknown")
        key_id = KeyId(row[0])
        renewal = _renewal_of(family)
        changed = 0
        if not has_passed(row[3], self._clock.now()) and _is_same(row[2], spent):
            changed = await self._database.execute(
                "UPDATE oauth_grants SET refresh_hash = ?, spent_hash = ?, expires_at = ? "
                "WHERE key_id = ? AND refresh_hash = ?",
                _hash(renewal),
                _hash(family),
                self._renewal_end(),
                key_id,
                spent,
            )
        renewed = await self._keys.renew(key_id, lifetime_s=TOKEN_S) if changed else None
        if renewed is None:
            await self._end(key_id)  # used twice, at its end, or its key was revoked
            raise OAuthError("invalid_grant", "the refresh token was used or has ended")
        key, text = renewed
        return _tokens(text, renewal, sorted(key.scopes))

    async def _end(self, key_id: str) -> None:
        await self._database.execute("DELETE FROM oauth_grants WHERE key_id = ?", key_id)
        try:
            await self._keys.revoke(key_id)
        except NotFound:
            return

    def _renewal_end(self) -> str:
        return timestamp(self._clock.now() + timedelta(days=RENEWAL_DAYS))


def _renewal_of(family: str) -> str:
    """A new refresh token of a grant: any earlier one of its family shows that one was stolen."""
    return f"{_RENEWAL}{family}.{secrets.token_urlsafe(32)}"


def _family_of(renewal: str) -> str | None:
    family, dot, _ = renewal.removeprefix(_RENEWAL).partition(".")
    return family if dot and family else None


def _read_asked(text: str) -> dict[str, Any]:
    """What a code stands for. Raises `OAuthError`: the row is damaged."""
    try:
        return asdict(_Asked(**json.loads(text)))
    except (ValueError, TypeError):
        raise OAuthError("invalid_grant", "the code is unknown or was used") from None


def _fault(given: Mapping[str, str], issuer: str) -> tuple[str, str] | None:
    resource = given.get("resource")
    if given.get("response_type") != "code":
        return "unsupported_response_type", "only codes are given"
    if given.get("code_challenge_method") != "S256":
        return "invalid_request", "PKCE with S256 is required"
    if not _CHALLENGE.fullmatch(given.get("code_challenge", "")):
        return "invalid_request", "the code_challenge is missing or invalid"
    if len(given.get("state", "")) > MAX_STATE:
        return "invalid_request", "the state is too long"
    if resource is not None and not _is_ours(resource, issuer):
        return "invalid_target", "this server does not give tokens for that resource"
    return None


def _is_ours(resource: str, issuer: str) -> bool:
    return resource.rstrip("/") in (issuer, f"{issuer}/mcp")


def _proves(verifier: str, challenge: str) -> bool:
    if not _VERIFIER.fullmatch(verifier):
        return False
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    return _is_same(digest.decode().rstrip("="), challenge)


def _is_same(known: str, given: str) -> bool:
    return hmac.compare_digest(str(known).encode(), given.encode(errors="replace"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _tokens(access: str, renewal: str, scopes: Sequence[str]) -> dict[str, object]:
    return {
        "access_token": access,
        "token_type": "Bearer",
        "expires_in": TOKEN_S,
        "refresh_token": renewal,
        "scope": " ".join(scopes),
    }
