"""`/api/v1/settings`, `/secrets`, `/doctor` and `/samples`: administration of the home.

Settings come from environment variables and are read-only here; secrets are write-only.
"""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

import toolweave
from toolweave.access.secret_binding import SecretBinding
from toolweave.access.secret_destinations import to_host
from toolweave.app.settings_report import SettingLine, setting_lines
from toolweave.app.studio import Studio
from toolweave.authoring.secret_uses import SecretUse, secret_uses
from toolweave.demo.sample import open_sample
from toolweave.doctor.finding import DoctorFinding, FindingRecord
from toolweave.doctor.home_state import examine_home
from toolweave.doctor.machine import examine_disk, examine_machine
from toolweave.errors import ToolweaveError
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

Name = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:@+-]{0,199}$", description="A secret's name"),
]


class SecretRequest(RequestBody):
    """A secret's value."""

    value: str = Field(min_length=1, max_length=100_000)
    hosts: list[str] = Field(
        default_factory=list[str], max_length=100, description="Hosts it may be sent to"
    )


class AllowSecretRequest(RequestBody):
    """One more host that a secret may be sent to."""

    host: str = Field(min_length=1, max_length=253)


class SettingListResponse(JsonRecord):
    """All settings, the version and the home."""

    version: str
    home: str
    settings: list[SettingLine]


class SecretListResponse(JsonRecord):
    """The names of all secrets, and where each may be sent."""

    names: list[str]
    secrets: list[SecretBinding]


class SecretResponse(JsonRecord):
    """A stored secret."""

    name: str


class SecretUsesResponse(JsonRecord):
    """The workflows and servers that refer to a secret."""

    uses: list[SecretUse]


class DoctorResponse(JsonRecord):
    """All findings."""

    findings: list[FindingRecord]


class SampleResponse(JsonRecord):
    """The name of the sample workflow, and its server."""

    workflow: str
    server: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_settings(self) -> SettingListResponse:
        """List all settings with their value, source and purpose."""
        return SettingListResponse(
            version=toolweave.__version__,
            home=str(self._home.settings.home),
            settings=setting_lines(self._home),
        )

    async def list_secrets(self) -> SecretListResponse:
        """List the names of the secrets in the vault; values are never returned."""
        bindings = await self._home.vault.bindings()
        return SecretListResponse(names=[one.name for one in bindings], secrets=bindings)

    async def store_secret(
        self,
        request: Request,
        name: Name,
        body: Annotated[SecretRequest, Depends(SecretRequest.read)],
    ) -> SecretResponse:
        """Store a secret, replacing the existing one."""
        await self._home.vault.store(name, body.value, hosts=body.hosts, by=_by(request))
        return SecretResponse(name=name)

    async def allow_secret(
        self,
        request: Request,
        name: Name,
        body: Annotated[AllowSecretRequest, Depends(AllowSecretRequest.read)],
    ) -> SecretResponse:
        """Let workflows send a secret to one more host."""
        vault = self._home.vault
        await vault.destinations.allow(name, to_host(body.host), by=_by(request))
        return SecretResponse(name=name)

    async def list_secret_uses(self, name: Name) -> SecretUsesResponse:
        """List the workflows and servers that refer to a secret or a credential."""
        return SecretUsesResponse(uses=await secret_uses(self._home, name))

    async def remove_secret(self, name: Name) -> Response:
        """Remove a secret; references to it fail until it is stored again."""
        await self._home.vault.delete(name)
        return Response(status_code=204)

    async def examine(self) -> DoctorResponse:
        """Run diagnostics of this machine and this home."""
        found = await anyio.to_thread.run_sync(examine_machine, self._home.environ)
        found.append(await anyio.to_thread.run_sync(examine_disk, self._home.settings.home))
        try:
            found += await examine_home(self._home)
        except ToolweaveError as error:
            found.append(DoctorFinding("fault", "home", error.message, error.hint))
        return DoctorResponse(findings=[FindingRecord.brief(finding) for finding in found])

    async def make_sample(self) -> SampleResponse:
        """Store the sample workflow and approve the built-in server, unless both exist.

        Only Toolweave's own program is approved here.
        """
        studio = self._studio
        return SampleResponse.of(await open_sample(studio.home, studio.gate, studio.connections))


def _by(request: Request) -> str:
    return f"key {key_of(request).name}"


def setting_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers, one = _Handlers(studio), "/secrets/{name}"
    routes = Routes(authenticator, "/api/v1", "settings")
    routes.add("GET", "/settings", handlers.list_settings)
    routes.add("GET", "/secrets", handlers.list_secrets)
    routes.add("PUT", one, handlers.store_secret)
    routes.add("GET", f"{one}/uses", handlers.list_secret_uses)
    routes.add("POST", f"{one}/hosts", handlers.allow_secret, 404)
    routes.add("DELETE", one, handlers.remove_secret, 404, status=204)
    routes.add("GET", "/doctor", handlers.examine)
    routes.add("POST", "/samples", handlers.make_sample, 409)
    return routes.router()
