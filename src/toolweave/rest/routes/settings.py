"""`/api/v1/settings`, `/api/v1/secrets` and `/api/v1/doctor`: how this home stands, for its owner.

Settings are variables of the environment and cannot be changed from here; secrets only go in.
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
    """A setting; nothing as its value is what its words say."""

    variable: str
    words: str
    value: str | None
    default: str | None
    source: Literal["default", "environment", "command line"]


class SettingListResponse(BaseModel):
    """Every setting, and what runs."""

    version: str
    home: str
    settings: list[SettingResponse]


class SecretListResponse(BaseModel):
    """The names of all secrets."""

    names: list[str]


class SecretResponse(BaseModel):
    """That a secret is in the vault."""

    name: str


class DoctorFindingResponse(BaseModel):
    """One thing that was looked at."""

    state: Literal["ok", "note", "fault"]
    what: str
    details: str
    remedy: str | None = None


class DoctorResponse(BaseModel):
    """Everything that was looked at."""

    findings: list[DoctorFindingResponse]


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_settings(self) -> Response:
        """List every setting: its value, where that comes from, what it is for."""
        lines = [one.as_json() for one in setting_lines(self._home)]
        home = str(self._home.settings.home)
        return JsonResponse({"version": toolweave.__version__, "home": home, "settings": lines})

    async def list_secrets(self) -> Response:
        """List the names of the secrets in the vault; no value ever comes back."""
        return JsonResponse({"names": await self._home.vault.names()})

    async def store_secret(
        self, name: Name, body: Annotated[SecretRequest, Depends(SecretRequest.read)]
    ) -> Response:
        """Keep a secret, in place of what was there."""
        await self._home.vault.put(name, body.value)
        return JsonResponse({"name": name})

    async def remove_secret(self, name: Name) -> Response:
        """Forget a secret; what refers to it fails until it is kept again."""
        await self._home.vault.delete(name)
        return Response(status_code=204)

    async def examine(self) -> Response:
        """Look at this machine and this home: what is there, what is missing, what to do."""
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
    # Any: what OpenAPI is told of each.
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
    for method, path, answer, answered, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(authenticator.require(SCOPE))],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(ONE, endpoint=OtherMethods("DELETE", "PUT")))
    return router
