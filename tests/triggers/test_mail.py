"""Mails that start runs, from a real IMAP conversation."""

from collections.abc import AsyncGenerator, Generator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.triggers.hosting import Host, hosting, node, trigger
from tests.triggers.imap_server import FakeMailbox, serving_imap

from toolweave.errors import Denied
from toolweave.triggers import imap as mail

pytestmark = pytest.mark.anyio


@pytest.fixture
async def host(tmp_path: Path) -> AsyncGenerator[Host]:
    async with hosting(tmp_path / "home") as opened:
        await opened.home.vault.put("mail", "pass word")
        yield opened


@pytest.fixture
def mailbox() -> Generator[FakeMailbox]:
    with serving_imap() as served:
        yield served


def a_mail(subject: str, *, attachment: bytes | None = None) -> bytes:
    message = EmailMessage()
    message["From"] = "Ada <ada@example.com>"
    message["To"] = "me@example.com"
    message["Subject"] = subject
    message["Date"] = "Mon, 02 Mar 2026 10:29:40 +0100"
    message["Message-ID"] = "<1@example.com>"
    message.set_content("The whole text.")
    if attachment is not None:
        message.add_attachment(attachment, "application", "pdf", filename="invoice.pdf")
    return message.as_bytes()


def watch(mailbox: FakeMailbox, /, **config: Any) -> dict[str, Any]:
    return trigger(
        "EMAIL",
        email_provider="imap",
        server_config={"host": "127.0.0.1", "port": mailbox.port, "use_ssl": False},
        credentials={"username": "me", "password": "${vault:mail}"},
        polling_interval=30,
        **config,
    )


async def look(host: Host) -> None:
    await host.clock.advance(30)
    await host.triggers.poller.once(mail.REF, host.triggers.mails.poll)


@pytest.mark.exercises(
    "TRIGGER.EMAIL.email_provider=imap", "TRIGGER.EMAIL.server_config", "TRIGGER.EMAIL.credentials"
)
async def test_each_new_mail_starts_one_run(host: Host, mailbox: FakeMailbox) -> None:
    mailbox.add(a_mail("was there before"))
    await host.enable("Mail", watch(mailbox), node("end"))
    await look(host)
    mailbox.add(a_mail("Invoice", attachment=b"%PDF"))
    mailbox.add(a_mail("Second"))
    for _ in range(3):
        await look(host)
    # Both began at the same moment of this clock: neither is first.
    told = sorted(await host.inputs(), key=lambda inputs: str(inputs["subject"]))
    assert [one["subject"] for one in told] == ["Invoice", "Second"]
    headers = told[0].pop("email_headers")
    assert isinstance(headers, dict)
    assert headers["message-id"] == "<1@example.com>"
    assert told[0] == {
        "trigger_time": "2026-01-01T00:01:00.000Z",
        "email_id": "7-2",
        "sender": "ada@example.com",
        "recipient": "me@example.com",
        "subject": "Invoice",
        "body_text": "The whole text.\n",
        "body_html": "",
        "attachments": [
            {
                "filename": "invoice.pdf",
                "size": 4,
                "content_type": "application/pdf",
                "content": "JVBERg==",
            }
        ],
        "received_date": "2026-03-02T09:29:40.000Z",
        "trigger_message": "Mail from ada@example.com: Invoice",
    }
    run = (await host.runs())[0]
    assert await host.engine.advance(run.id) == "success"


@pytest.mark.exercises("TRIGGER.EMAIL.polling_interval")
async def test_a_mailbox_is_asked_as_often_as_it_wants(host: Host, mailbox: FakeMailbox) -> None:
    await host.enable("Mail", watch(mailbox), node("end"))
    await look(host)
    for _ in range(5):
        await host.triggers.poller.once(mail.REF, host.triggers.mails.poll)
    assert len(mailbox.logins) == 1
    await look(host)
    assert len(mailbox.logins) == 2


async def test_only_mails_that_pass_the_filters_start_runs(
    host: Host, mailbox: FakeMailbox
) -> None:
    await host.enable("Mail", watch(mailbox, subject_keywords=["invoice"]), node("end"))
    await look(host)
    for subject in ("Hello", "Your INVOICE"):
        mailbox.add(a_mail(subject))
    await look(host)
    assert [one["subject"] for one in await host.inputs()] == ["Your INVOICE"]


@pytest.mark.exercises("TRIGGER.EMAIL.mailbox")
@pytest.mark.parametrize(("folder", "is_there"), [("INBOX", True), ("Bills", False)])
async def test_the_folder_that_is_named_is_read(
    host: Host, mailbox: FakeMailbox, folder: str, is_there: bool
) -> None:
    """This server has no other folder than INBOX."""
    await host.enable("Mail", watch(mailbox, mailbox=folder), node("end"))
    await look(host)
    told = (await host.triggers.switches.list())[0].failure
    assert (told is None) == is_there
    assert is_there or "'Bills'" in str(told)


async def test_a_mailbox_that_was_made_anew_is_begun_anew(host: Host, mailbox: FakeMailbox) -> None:
    await host.enable("Mail", watch(mailbox), node("end"))
    await look(host)
    mailbox.validity += 1
    mailbox.add(a_mail("old"))
    await look(host)
    mailbox.add(a_mail("new"))
    await look(host)
    assert [one["subject"] for one in await host.inputs()] == ["new"]


async def test_a_server_that_refuses_is_told_and_asked_again(
    host: Host, mailbox: FakeMailbox
) -> None:
    mailbox.password = "another one"
    await host.enable("Mail", watch(mailbox), node("end"))
    await look(host)
    told = (await host.triggers.switches.list())[0].failure
    assert told is not None
    assert told.startswith("EMAIL_UNREACHABLE")
    assert "pass word" not in told
    mailbox.password = "pass word"
    await look(host)
    assert (await host.triggers.switches.list())[0].failure is None


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "10.0.0.7", "169.254.169.254", "[::1]"])
async def test_a_mail_server_at_a_private_address_is_refused_when_it_is_switched_on(
    tmp_path: Path, mailbox: FakeMailbox, name: str
) -> None:
    async with hosting(tmp_path / "private", allow_private=False) as host:
        await host.home.vault.put("mail", "secret")
        watching = watch(mailbox)
        watching["data"]["configurations"]["server_config"]["host"] = name
        with pytest.raises(Denied) as refused:
            await host.enable("Mail", watching, node("end"))
        assert refused.value.code == "EMAIL_DENIED"
    assert mailbox.logins == []


async def test_a_mailbox_is_read_at_the_address_that_was_checked(mailbox: FakeMailbox) -> None:
    """Whatever its name means by now: this one means nothing at all."""
    box = mail.Mailbox(
        "mail.invalid", mailbox.port, False, "me", mailbox.password, "INBOX", address="127.0.0.1"
    )
    seen, mails = await anyio.to_thread.run_sync(mail.new_mails, box, None)
    assert (seen.number >= 0, mails) == (True, [])
