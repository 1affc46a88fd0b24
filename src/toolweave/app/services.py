"""The resource `services`: how nodes reach services outside with the credentials of the vault."""

from toolweave.access.expand import references
from toolweave.access.mask import Masker
from toolweave.access.services import Credential, Credentials, missing_credential
from toolweave.errors import Denied
from toolweave.nodes.external._service import Access, Service


class VaultServices:
    """Credentials by the references that workflows write; tokens themselves are never seen here."""

    def __init__(self, credentials: Credentials, masker: Masker) -> None:
        self._credentials = credentials
        self._masker = masker

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        """How to reach a service; see `Services`."""
        if prefers_oauth:
            usual = await self._credentials.find(service.kind)
            if usual is not None and usual.auth == "oauth":
                return self._access(service, usual)
        name = name_in(token) if token else service.kind
        if name is None:
            # A token that stands in the workflow itself: at least nothing shall show it again.
            self._masker.learn([token])
            return Access(service.address, token)
        found = await self._credentials.find(name)
        if found is not None:
            return self._access(service, found)
        if not token and not await self._credentials.has_secret(name):
            raise missing_credential(name)
        return Access(service.address, f"${{vault:{name}}}")

    def _access(self, service: Service, credential: Credential) -> Access:
        if credential.kind != service.kind:
            raise Denied(
                "SERVICE_CREDENTIAL_MISMATCH",
                f"credential {credential.name!r} is for {credential.kind}, not for {service.kind}",
                hint=f"use one for {service.kind}: `toolweave services list` shows them",
            )
        return Access(credential.base_url or service.address, f"${{vault:{credential.name}}}")


def name_in(token: str) -> str | None:
    """The name in a text that is one reference to the vault and nothing else."""
    found = references(token)
    is_one = len(found) == 1 and found[0].text == token.strip() and token.startswith("${vault:")
    return found[0].name if is_one else None
