"""The resource `services`: how nodes reach services outside with the credentials of the vault."""

from urllib.parse import urlencode, urlsplit

from toolweave import json_text
from toolweave.access.mask import Masker
from toolweave.access.references import vault_name_in
from toolweave.access.secret_destinations import to_host
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.services import Access, Service
from toolweave.credentials.oauth_tokens import OAuthTokens, sign_in_needed
from toolweave.credentials.store import Credential, Credentials, missing_credential
from toolweave.errors import Denied, Invalid
from toolweave.home import Home
from toolweave.json_text import Json
from toolweave.resources.http import NodeHttpClient

TOKEN_S = 30.0


class VaultServices:
    """Credentials by the references that workflows write; tokens themselves are never seen here."""

    def __init__(
        self,
        credentials: Credentials,
        tokens: OAuthTokens,
        *,
        secrets: SecretTexts,
        masker: Masker,
    ) -> None:
        self.credentials = credentials
        self.tokens = tokens
        self._secrets = secrets
        self._masker = masker

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        """How to reach a service; see `Services`."""
        if prefers_oauth:
            usual = await self.credentials.find(service.kind)
            if usual is not None and usual.auth == "oauth":
                return await self._access(service, usual)
        name = vault_name_in(token) if token else service.kind
        if name is None:
            # A token that stands in the workflow itself: at least nothing shall show it again.
            self._masker.learn([token])
            return Access(service.address, token)
        found = await self.credentials.find(name)
        if found is not None:
            return await self._access(service, found)
        if not token and not await self.credentials.has_secret(name):
            raise missing_credential(name)
        return Access(service.address, f"${{vault:{name}}}")

    async def refresh(self, name: str) -> None:
        """Renew the OAuth token of a credential if it is about to expire."""
        known = await self.credentials.find(name)
        if known is not None and known.auth == "oauth":
            await self.tokens.fresh(name)

    async def renew(self, service: Service, refresh_token: str) -> str:
        """A new access token for a refresh token that a node was given; see `Services`."""
        usual = await self.credentials.find(service.kind)
        if usual is None or usual.auth != "oauth":
            raise sign_in_needed(service.kind, "no OAuth client is known to renew it with")
        client = await self.tokens.client_of(usual.name)
        issuer = to_host(urlsplit(client.token_url).hostname or "")
        filled = await self._secrets.fill({"token": refresh_token}, issuer)
        self._masker.learn([filled.texts["token"]])
        found = await self.tokens.exchange(usual.name, client, filled.texts["token"])
        name = vault_name_in(refresh_token)
        if name is not None and found.refresh_token != filled.texts["token"]:
            await self.credentials.keep_secret(name, found.refresh_token or "")
        return found.access_token

    async def _access(self, service: Service, credential: Credential) -> Access:
        if credential.kind != service.kind:
            raise Denied(
                "SERVICE_CREDENTIAL_MISMATCH",
                f"credential {credential.name!r} is for {credential.kind}, not for {service.kind}",
                hint=f"use one for {service.kind}: `toolweave services list` shows them",
            )
        if credential.auth == "oauth":
            await self.tokens.fresh(credential.name)
        return Access(credential.base_url or service.address, f"${{vault:{credential.name}}}")


def vault_services(home: Home, http: NodeHttpClient) -> VaultServices:
    """The services of a home, asked through a client."""
    secrets = SecretTexts(home.vault, home.masker)

    async def post(url: str, form: dict[str, str]) -> tuple[int, Json]:
        body = urlencode(form).encode()
        kind = "application/x-www-form-urlencoded"
        headers = {"content-type": kind, "accept": "application/json"}
        answer = await http.request(
            "POST", url, headers=headers, body=body, follow=False, timeout_s=TOKEN_S
        )
        try:
            return answer.status, json_text.read(answer.body)
        except Invalid:
            return answer.status, None

    tokens = OAuthTokens(home.vault, post, masker=home.masker, clock=home.clock)
    credentials = Credentials(home.vault)
    return VaultServices(credentials, tokens, secrets=secrets, masker=home.masker)
