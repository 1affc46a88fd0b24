"""Credentials of services as doors work on them: listed, stored, signed in for, tested, removed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from toolweave.access.secret_text import SecretTexts
from toolweave.credentials.oauth_tokens import OAuthClient, check_client
from toolweave.credentials.services import VaultServices, vault_services
from toolweave.credentials.store import Credential
from toolweave.errors import Denied, Invalid
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json
from toolweave.network.addresses import AllowedHosts
from toolweave.nodes.services._client import ServiceClient
from toolweave.nodes.services._operation import ServiceCall, look_up
from toolweave.nodes.services._vendors import CLIENTS, KNOWN
from toolweave.problems import did_you_mean
from toolweave.resources.http import NodeHttpClient
from toolweave.servers.sign_in import SignIn

TEST_S = 30.0


class CredentialRecord(JsonRecord):
    """A credential, without its secret."""

    name: str
    kind: str
    auth: Literal["token", "oauth"]
    base_url: str | None


class Tested(JsonRecord):
    """The result of a test request with a credential."""

    name: str
    kind: str
    who: str
    address: str


@dataclass(frozen=True, slots=True)
class ServiceAccounts:
    """Everything a person does with credentials."""

    services: VaultServices
    http: NodeHttpClient

    async def listed(self) -> list[Credential]:
        """Every credential, without its secret."""
        return await self.services.credentials.list()

    async def add(
        self, name: str, kind: str, token: str, *, base_url: str | None = None
    ) -> Credential:
        """Store a token. Raises `SERVICE_UNKNOWN`, `SERVICE_ADDRESS_INVALID`."""
        credential = Credential(name=name, kind=_known(kind), base_url=checked_address(base_url))
        await self.services.credentials.put(credential, token.strip(), _hosts_of(credential))
        return credential

    async def sign_in(
        self,
        name: str,
        kind: str,
        client: OAuthClient,
        sign_in: SignIn,
        *,
        base_url: str | None = None,
    ) -> Credential:
        """Let a person sign in, and store the tokens. Raises `Denied` or `TimedOut`."""
        credential = Credential(
            name=name, kind=_known(kind), base_url=checked_address(base_url), auth="oauth"
        )
        check_client(client)
        redirect = await sign_in.listen(AllowedHosts.of(client.authorize_url))
        try:
            begun = self.services.tokens.begin(client, redirect.uri)
            await redirect.show(begun.url)
            came = await redirect.result()
        finally:
            await redirect.aclose()
        hosts = _hosts_of(credential)
        await self.services.tokens.finish(name, client, begun, came.code, hosts=hosts)
        await self.services.credentials.put(credential, None)
        return credential

    async def test(self, name: str) -> Tested:
        """Make one call that changes nothing. Raises the error of that call."""
        credential = await self.services.credentials.get(name)
        service = KNOWN[credential.kind]
        access = await self.services.access(service, f"${{vault:{name}}}")
        caller = ServiceClient(self.http, service, access, timeout_s=TEST_S)
        method, path = service.whoami
        call = ServiceCall(method, path)
        try:
            told = (await caller.send("the test", call)).record
        except Denied as error:
            if credential.auth != "oauth" or error.code != "SERVICE_CREDENTIAL_REFUSED":
                raise
            refused = await self.services.tokens.fresh(name)
            await self.services.tokens.fresh(name, refused=refused)
            told = (await caller.send("the test", call)).record
        inner = told.get("result")
        facts = {**told, **inner} if isinstance(inner, dict) else told
        words = [_shown(look_up(facts, place)) for place in service.who]
        who = " · ".join(word for word in words if word)
        return Tested(
            name=name, kind=credential.kind, who=who or "accepted", address=access.address
        )

    async def remove(self, name: str) -> None:
        """Forget a credential, its token and its sign-in. Raises `SERVICE_CREDENTIAL_MISSING`."""
        await self.services.credentials.remove(name)
        await self.services.tokens.forget(name)


@asynccontextmanager
async def open_desk(home: Home) -> AsyncGenerator[ServiceAccounts]:
    """The credentials of a home, with a client to test them."""
    secrets = SecretTexts(home.vault, home.masker)
    http = NodeHttpClient(secrets, allow_private=home.settings.allow_private_http)
    try:
        yield ServiceAccounts(vault_services(home, http), http)
    finally:
        await http.aclose()


def kind_of(name: str, kind: str | None) -> str:
    """The kind of service that a credential is for: as said, else as its name begins."""
    if kind is not None:
        return _known(kind)
    found = next((one for one in KNOWN if name == one or name.startswith((f"{one}-", f"{one}_"))),
                 None)  # fmt: skip
    return found or _known(name)


def client_of(
    kind: str,
    client_id: str,
    client_secret: str | None,
    *,
    scopes: tuple[str, ...] = (),
    authorize_url: str | None = None,
    token_url: str | None = None,
) -> OAuthClient:
    """Our OAuth client at a service; what is not given is what that kind of service has."""
    usual = CLIENTS.get(kind)
    if usual is None and not (authorize_url and token_url):
        raise Invalid(
            "SERVICE_UNKNOWN",
            f"where to sign in for {kind} is not known",
            hint="give --authorize-url and --token-url, or a token instead",
        )
    return OAuthClient(
        client_id=client_id,
        client_secret=client_secret,
        authorize_url=authorize_url or (usual.authorize_url if usual else ""),
        token_url=token_url or (usual.token_url if usual else ""),
        scopes=scopes or (usual.scopes if usual else ()),
        extra=dict(usual.extra) if usual else {},
    )


def checked_address(base_url: str | None) -> str | None:
    """An address that a token may be sent to. Raises `Invalid`: `SERVICE_ADDRESS_INVALID`."""
    if base_url is None:
        return None
    if not base_url.startswith(("https://", "http://")) or "@" in base_url or "${" in base_url:
        raise Invalid(
            "SERVICE_ADDRESS_INVALID",
            f"{base_url[:200]!r} is no address of a service",
            hint="write it as https://host/path, without a user name",
        )
    return base_url.rstrip("/")


def _hosts_of(credential: Credential) -> tuple[str, ...]:
    """The hosts that the token of a credential may be sent to."""
    service = KNOWN[credential.kind]
    host = urlsplit(credential.base_url or service.address).hostname or ""
    return (host, *service.more_hosts)


def _known(kind: str) -> str:
    if kind not in KNOWN:
        raise Invalid(
            "SERVICE_UNKNOWN",
            f"no kind of service is called {kind!r}",
            hint=did_you_mean(kind, KNOWN) or f"kinds are {', '.join(KNOWN)}",
        )
    return kind


def _shown(value: Json) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
