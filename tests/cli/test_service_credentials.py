"""`toolweave services`: stored without being shown, tested with one harmless call, removed."""

from collections.abc import Generator

import pytest
from anyio.from_thread import start_blocking_portal
from tests.cli.driving import Commands

from toolweave.testing.service import FakeService, Told, fake_service

TOKEN = "xoxb-planted-0123456789"
PRIVATE = {"TOOLWEAVE_ALLOW_PRIVATE_HTTP": "1"}


@pytest.fixture
def slack() -> Generator[FakeService]:
    told = Told({"ok": True, "user": "weaver", "team": "Acme"})
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(fake_service(usual=told)) as service,
    ):
        yield service


def test_a_credential_is_stored_tested_and_removed(tw: Commands, slack: FakeService) -> None:
    added = tw("services", "add", "slack", "--base-url", slack.address, input=f"{TOKEN}\n")
    assert added.code == 0, added
    assert "${vault:slack}" in added.out
    assert tw.ok("services", "list", "--json").json == [
        {"name": "slack", "kind": "slack", "auth": "token", "baseUrl": slack.address}
    ]
    tested = tw("services", "test", "slack", **PRIVATE)
    assert (tested.code, "weaver · Acme" in tested.out) == (0, True)
    assert slack.heard[0].line == "POST /auth.test"
    assert slack.heard[0].headers["authorization"] == f"Bearer {TOKEN}"
    told = tw.ok("services", "test", "slack", "--json", **PRIVATE).json
    assert told["who"] == "weaver · Acme"
    shown = added.out + added.err + tested.out + tw.ok("services", "list").out
    assert TOKEN not in shown
    assert tw.ok("services", "remove", "slack").out == "Removed 'slack'.\n"
    assert "toolweave services add slack" in tw.ok("services", "list").out
    assert tw.ok("secrets", "list", "--json").json == []
    assert tw("services", "remove", "slack").code == 1


def test_a_refused_credential_fails_the_test_in_the_services_words(
    tw: Commands, slack: FakeService
) -> None:
    slack.usual = Told({"ok": False, "error": "invalid_auth"})
    tw.ok("services", "add", "slack-ops", "--token-env", "T", "--base-url", slack.address, T=TOKEN)
    ran = tw("services", "test", "slack-ops", "--json", **PRIVATE)
    assert (ran.code, ran.json["error"]["code"]) == (1, "SERVICE_CREDENTIAL_REFUSED")
    assert "invalid_auth" in ran.out
    assert TOKEN not in ran.out + ran.err


def test_a_private_address_is_not_asked_unless_it_is_allowed(
    tw: Commands, slack: FakeService
) -> None:
    tw.ok("services", "add", "slack", "--token-env", "T", "--base-url", slack.address, T=TOKEN)
    ran = tw("services", "test", "slack", "--json")
    assert ran.json["error"]["code"] == "HTTP_ADDRESS_DENIED"
    assert slack.heard == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("add", "slck", "--token-env", "T"), 1),
        (("add", "slack", "--token-env", "MISSING"), 2),
        (("add", "slack", "--token-env", "T", "--base-url", "ftp://x"), 1),
        (("add", "slack", "--token-env", "T", "--base-url", "https://u:p@x"), 1),
        (("add", "slack", "--client-id", "c"), 1),
        (("test", "slack"), 1),
    ],
)
def test_wrong_use_says_what_to_do(tw: Commands, arguments: tuple[str, ...], code: int) -> None:
    ran = tw("services", *arguments, T=TOKEN)
    assert ran.code == code
    assert TOKEN not in ran.out + ran.err


def test_an_empty_token_is_refused(tw: Commands) -> None:
    assert tw("services", "add", "slack", input="\n").code == 2
