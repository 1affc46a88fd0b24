"""Mails that start runs, from the APIs of Gmail and Microsoft over real HTTP."""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.triggers.hosting import Host, hosting, node, trigger
from tests.triggers.test_mail import a_mail

from toolweave.access.secret_text import SecretTexts
from toolweave.errors import Denied
from toolweave.resources.http import NodeHttpClient
from toolweave.testing.service import FakeService, Told, fake_service
from toolweave.triggers import imap as mail
from toolweave.triggers.mail_api import address_of, open_mail_apis
from toolweave.triggers.service import Triggers

pytestmark = pytest.mark.anyio

SECRET = "mail-api-token-0123456789"


@asynccontextmanager
async def watching(
    folder: Path, provider: str, service: FakeService
) -> AsyncGenerator[tuple[Host, Triggers]]:
    """A host whose trigger reads mail through the fake service."""
    async with hosting(folder) as host:
        await host.home.vault.put("mail-token", SECRET)
        secrets = SecretTexts(host.home.vault, host.home.masker)
        http = NodeHttpClient(secrets, allow_private=True)
        try:
            apis = open_mail_apis(host.home, http, secrets)
            given = trigger(
                "EMAIL",
                email_provider=provider,
                server_config={"base_url": service.address},
                credentials={"access_token": "${vault:mail-token}"},
                polling_interval=30,
            )
            await host.enable("Mail", given, node("end"))
            yield host, Triggers(host.home, host.engine, mail_apis=apis)
        finally:
            await http.aclose()


async def look(host: Host, triggers: Triggers) -> None:
    await host.clock.advance(30)
    await triggers.poller.once(mail.REF, triggers.mails.poll)


@pytest.mark.exercises("TRIGGER.EMAIL.email_provider=gmail_api|outlook_api")
@pytest.mark.parametrize("provider", ["gmail_api", "outlook_api"])
async def test_each_new_mail_starts_one_run(tmp_path: Path, provider: str) -> None:
    async with (
        fake_service() as service,
        watching(tmp_path / "home", provider, service) as (host, triggers),
    ):
        await look(host, triggers)
        assert service.heard == []  # what was there before is no news
        later = int(host.clock.now().timestamp() * 1000) + 1_000
        raw = a_mail("Your invoice")
        listed: Any = {"id": "a1", "receivedDateTime": "2099-01-01T00:00:00Z"}
        gmail: Any = {
            "id": "a1",
            "internalDate": str(later),
            "raw": base64.urlsafe_b64encode(raw).decode(),
        }
        service.script = {
            "GET /gmail/v1/users/me/messages": Told({"messages": [{"id": "a1"}]}),
            "GET /gmail/v1/users/me/messages/a1": Told(gmail),
            "GET /v1.0/me/mailFolders/inbox/messages": [
                Told({"value": [listed]}),
                Told({"value": []}),
            ],
            "GET /v1.0/me/messages/a1/$value": Told(raw),
        }
        await look(host, triggers)
        await look(host, triggers)
        assert [one["subject"] for one in await host.inputs()] == ["Your invoice"]
        assert service.heard[0].headers["authorization"] == f"Bearer {SECRET}"


async def test_a_service_that_refuses_is_told_without_the_token(tmp_path: Path) -> None:
    async with (
        fake_service(usual=Told({"error": "no"}, 401)) as service,
        watching(tmp_path / "home", "gmail_api", service) as (host, triggers),
    ):
        await look(host, triggers)
        await look(host, triggers)
        told = (await host.triggers.switches.list())[0].failure
    assert told is not None
    assert told.startswith("EMAIL_UNREACHABLE")
    assert SECRET not in told


@pytest.mark.parametrize(
    "url", ["https://evil.example", "http://gmail.googleapis.com", "https://127.0.0.1"]
)
def test_a_token_goes_to_no_other_address(url: str) -> None:
    config: Any = {"email_provider": "gmail_api", "server_config": {"base_url": url}}
    with pytest.raises(Denied) as refused:
        address_of(config, allow_private=False)
    assert refused.value.code == "EMAIL_DENIED"
