"""`/api/v1/settings`, `/api/v1/secrets` and `/api/v1/doctor`: administration of the home.

Settings come from environment variables and are read-only here; secrets are write-only.
"""

from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Depends, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

import toolweave
from toolweave.app.doctor import DoctorFinding, examine_home, examine_machine
from toolweave.app.settings_report import setting_lines
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

SCOPE = "admin"
SECRETS = "/api/v1/secrets"
ONE = SECRETS + "/{name}"
Name = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:@+-]{0,199}$", description="A secret's name"),
]


class SecretRequest(RequestBody):
    """A secret's value."""

    value: str = Field(min_length=1, max_length=100_000)


class SettingResponse(BaseModel):
    """A setting; `words` describes what a null value means."""

    variable: str
    words: str
    value: str | None
    default: str | None
    source: Literal["default", "environment", "command line"]


class SettingListResponse(BaseModel):
    """All settings, the version and the home."""

    version: str
    home: str
    settings: list[SettingResponse]


class SecretListResponse(BaseModel):
    """The names of all secrets."""

    names: list[str]


class SecretResponse(BaseModel):
    """A stored secret."""

    name: str


class DoctorFindingResponse(BaseModel):
    """One finding."""

    state: Literal["ok", "note", "fault"]
    what: str
    details: str
    remedy: str | None = None


class DoctorResponse(BaseModel):
    """All findings."""

    findings: list[DoctorFindingResponse]


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_settings(self) -> Response:
        """List all settings with their value, source and purpose."""
        lines = [one.as_json() for one in setting_lines(self._home)]
        home = str(self._home.settings.home)
        return JsonResponse({"version": toolweave.__version__, "home": home, "settings": lines})

    async def list_secrets(self) -> Response:
        """List the names of the secrets in the vault; values are never returned."""
        return JsonResponse({"names": await self._home.vault.names()})

    async def store_secret(
        self, name: Name, body: Annotated[SecretRequest, Depends(SecretRequest.read)]
    ) -> Response:
        """Store a secret, replacing the existing one."""
        await self._home.vault.put(name, body.value)
        return JsonResponse({"name": name})

    async def remove_secret(self, name: Name) -> Response:
        """Remove a secret; references to it fail until it is stored again."""
        await self._home.vault.delete(name)
        return Response(status_code=204)

    async def examine(self) -> Response:
        """Run diagnostics of this machine and this home."""
        found = await anyio.to_thread.run_sync(examine_machine, self._home.environ)
        try:
            found += await examine_home(self._home)
        except ToolweaveError as error:
            found.append(DoctorFinding("fault", "home", error.message, error.hint))
        return JsonResponse({"findings": [one.as_json() for one in found]})


def setting_routes(home: Home, authenticator: Authenticator) -> APIRouter:
    """The five endpoints; each needs `admin`."""
    handlers = _Handlers(home)
    router = APIRouter(tags=["settings"])
    kept = responses(SecretResponse, *KEYED, *READING)
    gone = responses(None, 404, 422, *KEYED, status=204)
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, Any, Any, type[RequestBody] | None], ...] = (
        (
            "GET",
            "/api/v1/settings",
            handlers.list_settings,
            responses(SettingListResponse, *KEYED),
            None,
        ),
        ("GET", SECRETS, handlers.list_secrets, responses(SecretListResponse, *KEYED), None),
        ("PUT", ONE, handlers.store_secret, kept, SecretRequest),
        ("DELETE", ONE, handlers.remove_secret, gone, None),
        ("GET", "/api/v1/doctor", handlers.examine, responses(DoctorResponse, *KEYED), None),
    )
    for method, path, handler, answered, reading in table:
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(authenticator.require(SCOPE))],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(ONE, endpoint=OtherMethods("DELETE", "PUT")))
    return router
