"""Gmail and Outlook: asked by SMTP or API, replies read by IMAP or API, and thanked for."""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from tests.engine.building import EchoTools
from tests.nodes.action.trying import Secrets
from tests.nodes.human.asking import People, people, said
from tests.nodes.services.acting import SECRET, Here
from tests.nodes.services.smtp_server import Postbox, serving_smtp
from tests.triggers.imap_server import FakeMailbox, serving_imap

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.node import NodeInput, RunFacts
from toolweave.catalog.resources.mail import Provider
from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices, StepContext
from toolweave.errors import Denied
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._incoming_reply import IncomingReply, belongs
from toolweave.nodes.services.mail.account import ImapServer
from toolweave.nodes.services.mail.messages import as_html
from toolweave.nodes.services.mail.replies import from_gmail, from_outlook
from toolweave.resources.files import AllowedFolders
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import GrantedTokens, ImapMailboxes
from toolweave.resources.mailer import SmtpMailer
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import FakeService, Script, Told, fake_service

pytestmark = pytest.mark.anyio

GMAIL, OUTLOOK = (f"HUMAN_IN_THE_LOOP.{name}_INTERACTION" for name in ("GMAIL", "OUTLOOK"))
FIELDS = {GMAIL: "gmail_credentials", OUTLOOK: "outlook_credentials"}
LOOKS = {GMAIL: from_gmail, OUTLOOK: from_outlook}
ADA = "ada@example.com"
BASE: JsonObject = {
    "sender_email": "robot@example.com",
    "recipient_emails": [ADA],
    "email_subject": "Budget {{ content.what }}",
    "email_template": "Buy **{{ content.what }}**?",
}
CONTENT: JsonObject = {"content": {"what": "chairs"}}
OWNER = "/users/robot@example.com"
GRAPH_MAIL: JsonObject = {"id": "g1", "conversationId": "c1", "internetMessageId": "<g1@ms>"}
SCRIPT: Script = {
    "POST /users/me/messages/send": Told({"id": "m1", "threadId": "t1"}),
    f"POST {OWNER}/messages": Told(GRAPH_MAIL, 201),
    f"POST {OWNER}/messages/g1/send": Told(None, 202),
    "POST /token": Told({"access_token": "granted-token-0123456789", "expires_in": 3600}),
}
API: JsonObject = {"access_token": "${vault:the-token}"}


@dataclass
class Post:
    people: People
    service: FakeService
    postbox: Postbox
    mailbox: FakeMailbox
    resources: Resources

    @property
    def password(self) -> JsonObject:
        """An account that is reached by SMTP and IMAP on this machine."""
        return {
            "username": self.postbox.username,
            "password": "${vault:mail-password}",
            "smtp_host": "127.0.0.1",
            "smtp_port": self.postbox.port,
            "imap_host": "127.0.0.1",
            "imap_port": self.mailbox.port,
            "security": "none",
        }

    @property
    def context(self) -> StepContext:
        facts = RunFacts("r", "w", self.people.clock.now())
        services = EngineServices(EchoTools(), self.people.clock, self.resources)
        return StepContext(NodeInput({"timeout": 30}), facts, "p", 1, None, services)

    async def look(self, ref: str, run: str) -> list[IncomingReply]:
        asked = await self.people.question(run)
        assert asked.thread is not None
        found = await LOOKS[ref](self.context, asked.thread)
        assert all(belongs(one, asked) for one in found)
        return found


@asynccontextmanager
async def post(folder: Path, script: Script | None = None) -> AsyncGenerator[Post]:
    with serving_smtp() as postbox, serving_imap() as mailbox:
        mailbox.password = postbox.password
        masker = Masker()
        vault = Secrets(
            the_token=SECRET, mail_password=postbox.password, client="c", hush="hush-12345"
        )
        secrets = SecretTexts(vault, masker)
        http = NodeHttpClient(secrets, allow_private=True)
        async with fake_service({**SCRIPT, **(script or {})}) as service:
            url = f"{service.address}/token"
            clock = FakeClock()
            urls: dict[Provider, str] = {"gmail": url, "outlook": url}
            resources = Resources(
                http=http,
                services=Here(service.address),
                files=AllowedFolders((folder / "files",)),
                mailer=SmtpMailer(secrets, allow_private=True),
                mailboxes=ImapMailboxes(secrets, allow_private=True),
                mail_tokens=GrantedTokens(secrets, http, masker=masker, clock=clock, urls=urls),
            )
            async with people(folder, resources, clock) as house:
                try:
                    yield Post(house, service, postbox, mailbox, resources)
                finally:
                    await http.aclose()


def reply_to(message_id: str, text: str, *, sender: str = ADA, more: str = "") -> bytes:
    return (
        f"From: {sender}\r\nTo: robot@example.com\r\nSubject: Re: Budget\r\n"
        f"Message-ID: <{abs(hash(text))}@example.com>\r\nIn-Reply-To: {message_id}\r\n{more}\r\n"
        f"{text}\r\n\r\nOn Monday robot wrote:\r\n> Buy?\r\n"
    ).encode()


@pytest.mark.parametrize("ref", [GMAIL, OUTLOOK])
@pytest.mark.parametrize(
    ("text", "port"),
    [("Yes, fine", "confirmed"), ("No.", "rejected"), ("Which ones?", "unrelated")],
)
async def test_a_mail_is_asked_and_its_reply_read_and_thanked_for(
    tmp_path: Path, ref: str, text: str, port: str
) -> None:
    async with post(tmp_path) as found:
        config: JsonObject = {**BASE, FIELDS[ref]: found.password}
        run = await found.people.asked(ref, config, CONTENT)
        (sent,) = found.postbox.mails
        mail = message_from_bytes(sent, policy=policy.default)
        assert mail["Subject"] == "Budget chairs"
        assert "Buy **chairs**?" in str(mail.get_body(("plain",)))
        found.mailbox.add(reply_to(str(mail["Message-ID"]), text))
        found.mailbox.add(reply_to("<other@example.com>", "no no no"))
        (heard,) = await found.look(ref, run)
        assert heard.who == ADA
        outcome = await found.people.reply(run, heard.reply, by=heard.who, via=heard.channel)
        thanks = message_from_bytes(found.postbox.mails[-1], policy=policy.default)
        assert thanks["In-Reply-To"] == mail["Message-ID"]
        rows = await found.people.engine.journal.database.rows("SELECT body FROM journal")
    assert said(outcome)[0] == port
    assert found.postbox.password not in str(rows)


@pytest.mark.parametrize("ref", [GMAIL, OUTLOOK])
async def test_nobody_in_time_is_reminded_and_told(tmp_path: Path, ref: str) -> None:
    async with post(tmp_path) as found:
        config: JsonObject = {**BASE, FIELDS[ref]: found.password}
        run = await found.people.asked(ref, config, CONTENT)
        assert await found.people.later(run) is None
        assert said(await found.people.later(run))[0] == "timeout"
        assert len(found.postbox.mails) == 3


@pytest.mark.parametrize("ref", [GMAIL, OUTLOOK])
async def test_without_auto_reply_nobody_is_told(tmp_path: Path, ref: str) -> None:
    async with post(tmp_path) as found:
        config: JsonObject = {**BASE, FIELDS[ref]: found.password, "auto_reply_enabled": False}
        run = await found.people.asked(ref, config, CONTENT)
        await found.people.reply(run, "yes", by=ADA)
        assert len(found.postbox.mails) == 1


async def test_only_those_who_were_asked_count_and_no_automatic_note(tmp_path: Path) -> None:
    async with post(tmp_path) as found:
        run = await found.people.asked(GMAIL, {**BASE, FIELDS[GMAIL]: found.password}, CONTENT)
        thread: Any = (await found.people.question(run)).thread
        note = "Auto-Submitted: auto-replied\r\n"
        found.mailbox.add(reply_to(thread["message_id"], "I am away, yes", more=note))
        found.mailbox.add(reply_to(thread["message_id"], "yes", sender="eve@example.com"))
        (heard,) = await found.look(GMAIL, run)
        assert await found.people.reply(run, heard.reply, by=heard.who) is None


async def test_gmail_is_asked_by_its_api(tmp_path: Path) -> None:
    script: dict[str, Told] = {}
    async with post(tmp_path, script) as found:
        run = await found.people.asked(GMAIL, {**BASE, FIELDS[GMAIL]: API}, CONTENT)
        thread: Any = (await found.people.question(run)).thread
        assert thread["conversation"] == "t1"
        assert thread["account"] == API
        sent: Any = found.service.heard[0].json
        mail = message_from_bytes(base64.urlsafe_b64decode(sent["raw"]), policy=policy.default)
        assert mail["To"] == ADA
        raw = base64.urlsafe_b64encode(reply_to(thread["message_id"], "Yes")).decode()
        found.service.script = {
            **SCRIPT,
            "GET /users/me/threads/t1": Told({"messages": [{"id": "m2"}]}),
            "GET /users/me/messages/m2": Told({"id": "m2", "raw": raw}),
        }
        (heard,) = await found.look(GMAIL, run)
        outcome = await found.people.reply(run, heard.reply, by=heard.who)
        assert found.service.heard[0].headers["authorization"] == f"Bearer {SECRET}"
    assert said(outcome)[0] == "confirmed"


async def test_outlook_is_asked_by_its_api_with_every_setting(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "plan.txt").write_text("plan", encoding="utf-8")
    config: JsonObject = {
        **BASE,
        FIELDS[OUTLOOK]: {
            "tenant_id": "t",
            "client_id": "${vault:client}",
            "client_secret": "${vault:hush}",
        },
        "priority_level": "high",
        "delivery_receipt": True,
        "read_receipt": True,
        "include_attachments": True,
        "folder_monitoring": {"monitor_specific_folder": True, "folder_name": "Bob's"},
    }
    files: list[Json] = [{"filename": "plan.txt", "path": "plan.txt"}]
    content: JsonObject = {"content": {"what": "chairs", "attachments": files}}
    reply: JsonObject = {
        "id": "g2",
        "from": {"emailAddress": {"address": ADA}},
        "body": {"content": "No, thanks"},
        "internetMessageId": "<g2@ms>",
    }
    script = {
        f"GET {OWNER}/mailFolders": Told({"value": [{"id": "f9"}]}),
        f"GET {OWNER}/mailFolders/f9/messages": Told({"value": [reply]}),
    }
    async with post(tmp_path, script) as found:
        run = await found.people.asked(OUTLOOK, config, content)
        grant = next(one for one in found.service.heard if one.path == "/token")
        assert grant.form["client_secret"] == "hush-12345"
        made: Any = next(one for one in found.service.heard if one.path == f"{OWNER}/messages").json
        assert made["importance"] == "high"
        assert made["isDeliveryReceiptRequested"] is made["isReadReceiptRequested"] is True
        assert made["body"] == {
            "contentType": "HTML",
            "content": "<p>Buy <strong>chairs</strong>?</p>",
        }
        assert made["attachments"][0]["contentBytes"] == base64.b64encode(b"plan").decode()
        (heard,) = await found.look(OUTLOOK, run)
        outcome = await found.people.reply(run, heard.reply, by=heard.who)
        rows = await found.people.engine.journal.database.rows("SELECT body FROM journal")
    assert said(outcome)[0] == "rejected"
    assert "hush-12345" not in str(rows)
    assert "granted-token" not in str(rows)


async def test_a_grant_that_is_refused_says_so(tmp_path: Path) -> None:
    script = {"POST /token": Told({"error": "invalid_grant"}, 400)}
    credentials: JsonObject = {"client_id": "${vault:client}", "refresh_token": "${vault:hush}"}
    async with post(tmp_path, script) as found:
        run = await found.people.asked(GMAIL, {**BASE, FIELDS[GMAIL]: credentials}, CONTENT)
        (failure,) = (await found.people.engine.state(run)).failures.values()
    assert failure.code == "SERVICE_SIGN_IN_NEEDED"


async def test_a_private_mail_server_is_refused_unless_allowed() -> None:
    mailboxes = ImapMailboxes(SecretTexts(Secrets(), Masker()))
    with pytest.raises(Denied) as refused:
        await mailboxes.replies(ImapServer("127.0.0.1", 1), "<a@b>")
    assert refused.value.code == "HTTP_ADDRESS_DENIED"


def test_markdown_becomes_html_and_nothing_else_gets_through() -> None:
    made = as_html(
        "Hi *you*\n<script>x</script>\n\n[here](https://a.example) `x` [no](javascript:x)"
    )
    assert made == (
        "<p>Hi <em>you</em><br>\n&lt;script&gt;x&lt;/script&gt;</p>\n"
        '<p><a href="https://a.example">here</a> <code>x</code> [no](javascript:x)</p>'
    )
