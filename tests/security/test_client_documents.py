"""Documents that describe OAuth clients: fetched behind the address rules, bounded, their own."""

import json
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.network.test_client import tls_server
from tests.security.controls import Control

from network.wire import dialling, http, json_answer
from toolweave.access.oauth_clients import KNOWN_DOCUMENTS, ConnectingClient, OAuthClients
from toolweave.clock import SystemClock
from toolweave.errors import Invalid
from toolweave.home import open_home
from toolweave.network.addresses import AllowedHosts
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

REDIRECT = "http://127.0.0.1/callback"


class Site:
    """A site with one document, which tests change."""

    def __init__(self, clients: OAuthClients, strict: OAuthClients, url: str) -> None:
        self.clients = clients
        self.strict = strict
        self.url = url
        self.answer = b""

    def document(self, **changes: object) -> bytes:
        described = {"client_id": self.url, "client_name": "A", "redirect_uris": [REDIRECT]}
        return json_answer(json.dumps({**described, **changes}).encode())

    async def read(self) -> ConnectingClient:
        return await self.clients.find(self.url)


@asynccontextmanager
async def site(directory: Path) -> AsyncGenerator[Site]:
    """The site on this machine, and clients that may and may not reach it."""
    known: list[Site] = []

    async def here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with tls_server(directory, "app.local", lambda: known[0].answer) as (port, _, certificate):
        url = f"https://app.local:{port}/client.json"
        trusting = ssl.create_default_context(cadata=certificate.decode())
        settings = Settings(home=directory / "home")
        async with open_home(settings, environ={}, directory=directory) as home:
            database, clock = home.database, SystemClock()
            allow = AllowedHosts.of(url)
            open_to_it = OAuthClients(database, clock, allow=allow, resolve=here, tls=trusting)
            strict = OAuthClients(database, clock, resolve=here, tls=trusting)
            known.append(Site(open_to_it, strict, url))
            yield known[0]


async def test_a_document_is_not_fetched_from_the_inside(tmp_path: Path, control: Control) -> None:
    async with site(tmp_path) as there:
        there.answer = there.document()
        with dialling() as dialled, pytest.raises(Invalid, match="cannot be read"):
            await there.strict.find(there.url)
        assert dialled == []
        for inside in ("https://127.0.0.1/c", "https://169.254.169.254/c", "https://10.0.0.1/c"):
            with dialling() as dialled, pytest.raises(Invalid, match="cannot be read"):
                await there.strict.find(inside)
            assert dialled == []
        found = await there.read()
        control("a document at an allowed address is read", found.redirects == (REDIRECT,))


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "https://other.example/client.json"},
        {"client_id": None},
        {"redirect_uris": []},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"client_name": "x" * 70_000},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_a_document_that_is_not_its_own_or_is_dangerous_is_refused(
    tmp_path: Path, change: dict[str, object], control: Control
) -> None:
    async with site(tmp_path) as there:
        there.answer = there.document(**change)
        with pytest.raises(Invalid) as refused:
            await there.read()
        assert refused.value.code == "OAUTH_CLIENT_INVALID"
        there.answer = there.document()
        found = await there.read()
        control("the document without the fault is read", found.host == "app.local")


async def test_a_redirected_or_missing_document_is_refused(
    tmp_path: Path, control: Control
) -> None:
    async with site(tmp_path) as there:
        for answer in (http(302, location="https://other.example/"), http(404), http(200, b"<p>")):
            there.answer = answer
            with pytest.raises(Invalid, match="cannot be read"):
                await there.read()
        there.answer = there.document()
        control("the document itself is read", (await there.read()).name == "A")


async def test_an_id_that_is_no_address_of_a_document_is_refused(
    tmp_path: Path, control: Control
) -> None:
    async with site(tmp_path) as there:
        there.answer = there.document()
        base = there.url.removesuffix("/client.json")
        for wrong in (base, f"{base}/", f"{there.url}?x", f"{there.url}#x", "http://a.example/c"):
            with dialling() as dialled, pytest.raises(Invalid):
                await there.clients.find(wrong)
            assert dialled == []
        control("the address itself is one", (await there.read()).id == there.url)


async def test_known_programs_are_identified_without_internet(
    tmp_path: Path, control: Control
) -> None:
    async with site(tmp_path) as there:
        for url, (name, _) in KNOWN_DOCUMENTS.items():
            found = await there.strict.find(url)
            control("a known program is identified", found.name == name)
            assert not found.accepts("https://evil.example/callback")


async def test_a_flood_of_registrations_keeps_nobody_out(tmp_path: Path, control: Control) -> None:
    async with open_home(Settings(home=tmp_path), environ={}, directory=tmp_path) as home:
        clock = FakeClock()
        clients = OAuthClients(home.database, clock, most=3)

        async def registered() -> ConnectingClient:
            await clock.advance(1)
            return await clients.register({"client_name": "A", "redirect_uris": [REDIRECT]})

        used = await registered()
        await home.database.execute(
            "INSERT INTO oauth_grants (key_id, client_id, refresh_hash, expires_at) "
            "VALUES ('k', ?, 'h', '2999-01-01T00:00:00.000Z')",
            used.id,
        )
        first = await registered()
        control("a registered program is found", await clients.find(first.id) == first)
        others = [await registered() for _ in range(5)]
        assert await clients.find(others[-1].id) == others[-1]
        assert await clients.find(used.id) == used
        with pytest.raises(Invalid, match="not registered"):
            await clients.find(first.id)
