"""The resource `services`: which credential a node gets, and at which address it may be used."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.nodes.action.trying import code_of

from toolweave.credentials.accounts import ServiceAccounts, kind_of, open_desk
from toolweave.credentials.store import Credential
from toolweave.errors import Denied, Invalid, NotFound
from toolweave.home import Home, open_home
from toolweave.json_text import JsonObject
from toolweave.nodes.services._vendors import KNOWN
from toolweave.nodes.services.discord.api import DISCORD
from toolweave.nodes.services.slack.api import SLACK
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import Told, fake_service

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def desk_in(home: Path) -> AsyncGenerator[tuple[Home, ServiceAccounts]]:
    settings = Settings(home=home, allow_private_http=True)
    async with (
        open_home(settings, clock=FakeClock(), environ={}, directory=home) as opened,
        open_desk(opened) as desk,
    ):
        yield opened, desk


async def test_a_plain_secret_is_for_the_services_own_address(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as (opened, desk):
        await opened.vault.put("slack-bot-token", "xoxb-1")
        found = await desk.services.access(SLACK, "${vault:slack-bot-token}")
        assert found.address == "https://slack.com/api"
        assert found.token == "${vault:slack-bot-token}"


async def test_a_credentials_address_belongs_to_it(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as (_, desk):
        await desk.add("ops", "slack", "xoxb-1", base_url="https://slack.example.com/api/")
        found = await desk.services.access(SLACK, "${vault:ops}")
        assert found.address == "https://slack.example.com/api"
        with pytest.raises(Denied) as caught:
            await desk.services.access(DISCORD, "${vault:ops}")
        assert code_of(caught) == "SERVICE_CREDENTIAL_MISMATCH"


async def test_a_node_without_a_token_field_uses_the_credential_of_the_kind(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as (_, desk):
        with pytest.raises(NotFound) as caught:
            await desk.services.access(DISCORD, "")
        assert code_of(caught) == "SERVICE_CREDENTIAL_MISSING"
        await desk.add("discord", "discord", "abc")
        assert (await desk.services.access(DISCORD, "")).token == "${vault:discord}"


async def test_a_token_that_stands_in_a_workflow_is_masked_from_then_on(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as (opened, desk):
        found = await desk.services.access(SLACK, "xoxb-written-out-1")
        assert found.token == "xoxb-written-out-1"
        assert opened.masker.mask_text("it is xoxb-written-out-1") == "it is ***"


async def test_an_oauth_connection_is_preferred_where_a_node_says_so(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as (_, desk):
        await desk.add("slack", "slack", "xoxb-1")
        await desk.add("other", "slack", "xoxb-2")
        usual = await desk.services.access(SLACK, "${vault:other}", prefers_oauth=True)
        assert usual.token == "${vault:other}"
        signed_in = Credential(name="slack", kind="slack", auth="oauth")
        await desk.services.credentials.put(signed_in, None)
        with pytest.raises(NotFound):  # it is preferred, though nobody signed in for it yet
            await desk.services.access(SLACK, "${vault:other}", prefers_oauth=True)
        plain = await desk.services.access(SLACK, "${vault:other}")
        assert plain.token == "${vault:other}"


ANSWERS: dict[str, tuple[JsonObject, str]] = {
    "slack": ({"ok": True, "user": "weaver", "team": "Acme"}, "weaver · Acme"),
    "github": ({"login": "ada", "name": None}, "ada"),
    "notion": ({"name": "Bot", "bot": {"workspace_name": "Acme"}}, "Bot · Acme"),
    "google": ({"id": "ada@x.org", "summary": "Ada"}, "ada@x.org · Ada"),
    "gmail": ({"emailAddress": "ada@x.org"}, "ada@x.org"),
    "microsoft": ({"displayName": "Ada", "userPrincipalName": "a@x"}, "Ada · a@x"),
    "firecrawl": ({"success": True, "data": {"remainingCredits": 12}}, "12"),
    "discord": ({"username": "bot", "id": "1"}, "bot · 1"),
    "telegram": ({"ok": True, "result": {"username": "b", "first_name": "B"}}, "b · B"),
}


@pytest.mark.parametrize("kind", KNOWN)
async def test_each_kind_says_whose_credential_it_is(tmp_path: Path, kind: str) -> None:
    answer, who = ANSWERS[kind]
    async with fake_service(usual=Told(answer)) as service, desk_in(tmp_path) as (_, desk):
        await desk.add(kind, kind, "the-token-1", base_url=service.address)
        found = await desk.test(kind)
        assert found.who == who
        heard = service.heard[0]
        method, path = KNOWN[kind].whoami
        prefix = "/botthe-token-1" if kind == "telegram" else ""
        assert heard.line == f"{method} {prefix}{path}"


@pytest.mark.parametrize("name", ["oauth:files", "oauth-tokens:google", "service:slack"])
async def test_what_renews_a_sign_in_is_for_no_workflow(tmp_path: Path, name: str) -> None:
    async with desk_in(tmp_path) as (opened, desk):
        await opened.vault.put(name, "refresh-token-1")
        with pytest.raises(NotFound) as caught:
            await desk.http.request(
                "GET", "http://127.0.0.1:9/", headers={"authorization": f"Bearer ${{vault:{name}}}"}
            )
        assert code_of(caught) == "SECRET_NOT_FOUND"


async def test_a_long_answer_is_read_whole(tmp_path: Path) -> None:
    people: JsonObject = {"login": "ada", "bio": "x" * 300_000}
    async with fake_service(usual=Told(people)) as service, desk_in(tmp_path) as (_, desk):
        await desk.add("github", "github", "the-token-1", base_url=service.address)
        assert (await desk.test("github")).who == "ada"


def test_the_kind_is_how_the_name_begins() -> None:
    assert kind_of("slack-ops", None) == "slack"
    assert kind_of("anything", "github") == "github"
    for name, kind in (("slacking", None), ("x", "y")):
        with pytest.raises(Invalid) as caught:
            kind_of(name, kind)
        assert code_of(caught) == "SERVICE_UNKNOWN"
