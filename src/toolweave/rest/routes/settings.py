"""`/api/v1/settings`, `/api/v1/secrets` and `/api/v1/doctor`: how this home stands, for its owner.

Settings are variables of the environment and cannot be changed from here; secrets only go in.
"""

from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

import toolweave
from toolweave.app.doctor import DoctorFinding, examine_home, examine_machine
from toolweave.app.settings_report import setting_lines
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, responses

SCOPE = "admin"
SECRETS = "/api/v1/secrets"
ONE = SECRETS + "/{name}"
Name = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:@+-]{0,199}$", description="A secret's name"),
]


class Keeping(Strict):
    """A secret's value."""

    value: str = Field(min_length=1, max_length=100_000)


class SettingShape(BaseModel):
    """A setting; nothing as its value is what its words say."""

    variable: str
    words: str
    value: str | None
    default: str | None
    source: Literal["default", "environment", "command line"]


class SettingsShape(BaseModel):
    """Every setting, and what runs."""

    version: str
    home: str
    settings: list[SettingShape]


class SecretsShape(BaseModel):
    """The names of all secrets."""

    names: list[str]


class KeptShape(BaseModel):
    """That a secret is in the vault."""

    name: str


class FindingShape(BaseModel):
    """One thing that was looked at."""

    state: Literal["ok", "note", "fault"]
    what: str
    details: str
    remedy: str | None = None


class DoctorShape(BaseModel):
    """Everything that was looked at."""

    findings: list[FindingShape]


class _Answers:
    """The handlers."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def list_settings(self) -> Response:
        """List every setting: its value, where that comes from, what it is for."""
        lines = [one.as_json() for one in setting_lines(self._home)]
        home = str(self._home.settings.home)
        return json_answer({"version": toolweave.__version__, "home": home, "settings": lines})

    async def list_secrets(self) -> Response:
        """List the names of the secrets in the vault; no value ever comes back."""
        return json_answer({"names": await self._home.vault.names()})

    async def store_secret(self, name: Name, request: Request) -> Response:
        """Keep a secret, in place of what was there."""
        body = await read_shape(request, Keeping)
        await self._home.vault.put(name, body.value)
        return json_answer({"name": name})

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
        return json_answer({"findings": [one.as_json() for one in found]})


def setting_routes(home: Home, doorkeeper: Doorkeeper) -> APIRouter:
    """The five endpoints; each needs `admin`."""
    answers = _Answers(home)
    router = APIRouter(tags=["settings"])
    kept = responses(KeptShape, *KEYED, *READING)
    gone = responses(None, 404, 422, *KEYED, status=204)
    # Any: what OpenAPI is told of each.
    table: tuple[tuple[str, str, Any, Any, type[Strict] | None], ...] = (
        ("GET", "/api/v1/settings", answers.list_settings, responses(SettingsShape, *KEYED), None),
        ("GET", SECRETS, answers.list_secrets, responses(SecretsShape, *KEYED), None),
        ("PUT", ONE, answers.store_secret, kept, Keeping),
        ("DELETE", ONE, answers.remove_secret, gone, None),
        ("GET", "/api/v1/doctor", answers.examine, responses(DoctorShape, *KEYED), None),
    )
    for method, path, answer, answered, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(doorkeeper.wants(SCOPE))],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(ONE, endpoint=OtherMethods("DELETE", "PUT")))
    return router
