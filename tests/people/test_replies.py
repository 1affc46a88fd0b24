"""Replies from other systems: found by polling or posted, proven, once, to the right question."""

import hashlib
import hmac
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.engine.building import EchoTools
from tests.nodes.flow.running import alone
from tests.nodes.human.test_chats import CONFIGS, CONTENT, DISCORD, SCRIPT, SLACK, TELEGRAM
from tests.nodes.services.acting import SECRET, Here

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.open_questions import OpenQuestion
from toolweave.engine.runs import RunRequest
from toolweave.errors import Denied, NotFound, ToolweaveError
from toolweave.home import Home, open_home
from toolweave.json_text import JsonObject
from toolweave.nodes.human._buttons import LATE, carried
from toolweave.nodes.registry import NodeRegistry
from toolweave.people.replies import Replies
from toolweave.people.reply_webhooks import ReplyPosts
from toolweave.resources.http import NodeHttpClient
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import FakeService, Script, Told, fake_service
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

SIGNING = "slack-signing-secret-of-a-test"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HOOKS = {
    "slack-signing-secret": SIGNING,
    "discord-public-key": KEY.public_key().public_bytes_raw().hex(),
    "telegram-webhook-secret": "telegram-secret-of-a-test",
    "people-webhook-token": "people-secret-of-a-test",
    "the-token": SECRET,
}
CHANNEL = "/channels/381870553235193857"
FORM = "application/x-www-form-urlencoded"


@dataclass
class Desk:
    home: Home
    engine: Engine
    replies: Replies
    posts: ReplyPosts
    service: FakeService
    clock: FakeClock

    async def asked(self, ref: str, **config: Any) -> OpenQuestion:
        graph = alone(ref, {**CONFIGS[ref], **config}, CONTENT)
        run = await self.engine.runs.start(RunRequest(graph, CONTENT))
        assert await self.engine.advance(run) == "waiting"
        return next(one for one in await self.replies.questions.open() if one.run == run)

    async def port(self, asked: OpenQuestion) -> str:
        """The port a run left by, once it is over."""
        with anyio.fail_after(60):
            async for _ in self.engine.follow(asked.run):
                pass
        state = await self.engine.state(asked.run)
        return dict(state.outcomes())[asked.step].ports[0]

    async def answers(self, asked: OpenQuestion) -> list[Any]:
        value: Any = dict((await self.engine.state(asked.run)).outcomes())[asked.step].value
        return value["answers"]

    async def are_open(self, channel: str) -> set[str]:
        return {one.id for one in await self.replies.questions.open(channel)}

    def arrival(self, body: bytes, **headers: str) -> WebhookRequest:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return WebhookRequest("POST", "/people", self.clock.now(), named, body=body)


@asynccontextmanager
async def desk(folder: Path, script: Script | None = None) -> AsyncGenerator[Desk]:
    clock = FakeClock()
    async with (
        fake_service({**SCRIPT, **(script or {})}) as service,
        open_home(Settings(home=folder), clock=clock, environ={}, directory=folder) as home,
    ):
        for name, value in HOOKS.items():
            await home.vault.put(name, value)
        secrets = SecretTexts(home.vault, Masker())
        http = NodeHttpClient(secrets, allow_private=True)
        resources = Resources(http=http, services=Here(service.address))
        services = EngineServices(EchoTools(), clock, resources)
        journal = Journal(home.database, clock)
        engine = Engine(
            home.database, journal, NodeRegistry(), services=services, checker=Unchecked()
        )
        try:
            async with engine.running():
                replies = Replies(home, engine, tools=EchoTools(), resources=resources)
                yield Desk(home, engine, replies, ReplyPosts(replies, secrets), service, clock)
        finally:
            await http.aclose()


def slack_press(asked: OpenQuestion, says: str = "confirmed", who: str = "U1") -> bytes:
    action = {"value": carried(asked.id, says), "action_ts": "1.1"}
    payload = {"type": "block_actions", "user": {"id": who}, "actions": [action]}
    return urlencode({"payload": json.dumps(payload)}).encode()


def slack_event(text: str, ts: str = "18.1", **more: str) -> bytes:
    event = {"type": "message", "channel": "C1", "user": "U1", "text": text, "ts": ts, **more}
    return json.dumps({"type": "event_callback", "event_id": f"E{ts}", "event": event}).encode()


def slack(
    found: Desk, body: bytes, kind: str = "application/json", secret: str = SIGNING
) -> WebhookRequest:
    moment = str(int(found.clock.now().timestamp()))
    signed = hmac.digest(secret.encode(), f"v0:{moment}:".encode() + body, hashlib.sha256).hex()
    return found.arrival(
        body,
        content_type=kind,
        x_slack_request_timestamp=moment,
        x_slack_signature=f"v0={signed}",
    )


async def test_a_slack_button_is_proven_and_counts_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK)
        body = slack_press(asked)
        for secret in ("wrong", "x"):
            with pytest.raises(Denied) as refused:
                await found.posts.deliver("slack", slack(found, body, FORM, secret))
            assert refused.value.code == "HOOK_DENIED"
        arrival = slack(found, body, FORM)
        assert await found.posts.deliver("slack", arrival) == {}
        assert await found.posts.deliver("slack", arrival) == {}
        assert await found.port(asked) == "confirmed"
        (told,) = await found.answers(asked)
        assert (told["by"], told["via"]) == ("U1", "slack")


async def test_an_old_signature_is_no_proof(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK)
        arrival = slack(found, slack_press(asked), FORM)
        await found.clock.advance(301)
        late = WebhookRequest(
            "POST", "/people", found.clock.now(), arrival.headers, body=arrival.body
        )
        with pytest.raises(Denied):
            await found.posts.deliver("slack", late)


async def test_slack_asks_first_whether_the_address_is_ours(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        body = b'{"type": "url_verification", "challenge": "abc"}'
        assert await found.posts.deliver("slack", slack(found, body)) == {"challenge": "abc"}


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({"text": "no", "thread_ts": "17.1"}, "rejected"),
        ({"text": "no", "thread_ts": "99.9"}, None),
        ({"text": "no"}, None),
        ({"text": "no", "thread_ts": "17.1", "bot_id": "B1"}, None),
        ({"text": "no", "thread_ts": "17.1", "subtype": "message_changed"}, None),
    ],
)
async def test_only_what_a_person_says_in_the_thread_is_a_reply(
    tmp_path: Path, said: dict[str, str], taken: str | None
) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK)
        await found.posts.deliver("slack", slack(found, slack_event(**said)))
        if taken is None:
            assert await found.are_open("slack") == {asked.id}
        else:
            assert await found.port(asked) == taken


async def test_without_a_thread_the_one_open_question_of_the_channel_is_meant(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK, auto_thread=False)
        await found.posts.deliver("slack", slack(found, slack_event("yes")))
        assert await found.port(asked) == "confirmed"
        first = await found.asked(SLACK, auto_thread=False)
        second = await found.asked(SLACK, auto_thread=False)
        await found.posts.deliver("slack", slack(found, slack_event("yes", "19.1")))
        assert await found.are_open("slack") == {first.id, second.id}


async def test_who_answers_late_is_told_so_politely(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK)
        await found.engine.answer(asked.run, asked.step, "yes", by="U2")
        assert await found.port(asked) == "confirmed"
        await found.posts.deliver("slack", slack(found, slack_press(asked, "rejected"), FORM))
        said: Any = found.service.heard[-1].json
        assert (said["text"], said["thread_ts"]) == (LATE, "17.1")


def discord(found: Desk, body: JsonObject, key: Ed25519PrivateKey = KEY) -> WebhookRequest:
    raw, moment = json.dumps(body).encode(), str(int(found.clock.now().timestamp()))
    return found.arrival(
        raw,
        content_type="application/json",
        x_signature_timestamp=moment,
        x_signature_ed25519=key.sign(moment.encode() + raw).hex(),
    )


async def test_a_discord_button_is_proven_and_answered(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        assert await found.posts.deliver("discord", discord(found, {"type": 1})) == {"type": 1}
        other = Ed25519PrivateKey.from_private_bytes(bytes(32))
        with pytest.raises(Denied):
            await found.posts.deliver("discord", discord(found, {"type": 1}, other))
        asked = await found.asked(DISCORD)
        body: JsonObject = {
            "type": 3,
            "id": "i1",
            "data": {"custom_id": carried(asked.id, "rejected")},
            "member": {"user": {"id": "77"}},
        }
        told: Any = await found.posts.deliver("discord", discord(found, body))
        assert told["type"] == 4
        assert await found.port(asked) == "rejected"
        late: Any = await found.posts.deliver("discord", discord(found, {**body, "id": "i2"}))
        assert late["data"]["content"] == LATE


async def test_a_telegram_update_is_proven_by_its_secret(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(TELEGRAM, target_users=["5"])
        query = {"id": "q", "from": {"id": 5}, "data": carried(asked.id, "confirmed")}
        body = json.dumps({"update_id": 1, "callback_query": query}).encode()
        kind = {"content_type": "application/json"}
        with pytest.raises(Denied):
            await found.posts.deliver("telegram", found.arrival(body, **kind))
        secret = {"x_telegram_bot_api_secret_token": HOOKS["telegram-webhook-secret"]}
        told = await found.posts.deliver("telegram", found.arrival(body, **kind, **secret))
        assert told["method"] == "answerCallbackQuery"
        assert await found.port(asked) == "confirmed"


async def test_anything_else_may_post_signed_answers(tmp_path: Path) -> None:
    async with desk(tmp_path) as found:
        asked = await found.asked(SLACK)
        moment = str(int(found.clock.now().timestamp()))
        secret = HOOKS["people-webhook-token"].encode()

        def signed(question: str) -> WebhookRequest:
            body = json.dumps({"question": question, "reply": "yes", "by": "ada"}).encode()
            sign = hmac.digest(secret, moment.encode() + b"." + body, hashlib.sha256).hex()
            headers = {"x_timestamp": moment, "x_signature": sign}
            return found.arrival(body, content_type="application/json", **headers)

        with pytest.raises(NotFound):  # a whole id only
            await found.posts.deliver("generic", signed(asked.id[:4]))
        arrival = signed(asked.id)
        assert await found.posts.deliver("generic", arrival) == {"taken": "answered"}
        assert await found.posts.deliver("generic", arrival) == {"taken": "again"}
        assert await found.port(asked) == "confirmed"
        with pytest.raises(ToolweaveError) as unknown:
            await found.posts.deliver("pigeon", arrival)
        assert unknown.value.code == "HOOK_NOT_FOUND"


async def test_slack_threads_are_looked_through(tmp_path: Path) -> None:
    messages: list[Any] = [
        {"ts": "17.1", "bot_id": "B1", "text": "Buy?"},
        {"ts": "17.2", "thread_ts": "17.1", "user": "U1", "text": "Yes, buy it"},
    ]
    script = {"GET /conversations.replies": Told({"ok": True, "messages": messages})}
    async with desk(tmp_path, script) as found:
        asked = await found.asked(SLACK)
        await found.replies.look("slack")
        assert await found.port(asked) == "confirmed"
        before = len(found.service.heard)
        await found.replies.look("slack")
        assert len(found.service.heard) == before  # nothing is open, nobody is asked


async def test_discord_messages_and_reactions_are_looked_through(tmp_path: Path) -> None:
    script = {
        f"GET {CHANNEL}/messages": Told([{"id": "m2", "content": "hm", "author": {"bot": True}}]),
        f"GET {CHANNEL}/messages/m1": Told(
            {"id": "m1", "reactions": [{"emoji": {"name": "❌"}, "count": 1}]}
        ),
        f"GET {CHANNEL}/messages/m1/reactions/%E2%9D%8C": Told([{"id": "77"}]),
    }
    async with desk(tmp_path, script) as found:
        asked = await found.asked(DISCORD)
        await found.replies.look("discord")
        assert await found.port(asked) == "rejected"
        (told,) = await found.answers(asked)
        assert told["by"] == "77"


async def test_a_discord_reply_to_the_question_counts(tmp_path: Path) -> None:
    said: JsonObject = {
        "id": "m2",
        "content": "yes",
        "author": {"id": "77"},
        "message_reference": {"message_id": "m1"},
    }
    script = {
        f"GET {CHANNEL}/messages": Told([said]),
        f"GET {CHANNEL}/messages/m1": Told({"id": "m1"}),
    }
    async with desk(tmp_path, script) as found:
        asked = await found.asked(DISCORD)
        await found.replies.look("discord")
        assert await found.port(asked) == "confirmed"


async def test_telegram_is_asked_for_what_is_new_and_once(tmp_path: Path) -> None:
    message: JsonObject = {"chat": {"id": -100123}, "from": {"id": 9}, "text": "no"}
    update: JsonObject = {"update_id": 41, "message": message}
    path = f"GET /bot{SECRET}/getUpdates"
    script = {path: Told({"ok": True, "result": [update]})}
    async with desk(tmp_path, script) as found:
        asked = await found.asked(TELEGRAM)
        await found.replies.look("telegram")
        assert await found.port(asked) == "rejected"
        await found.asked(TELEGRAM)
        await found.replies.look("telegram")  # the same update again answers nothing else
        assert ("offset", "42") in found.service.heard[-1].query
        assert len(await found.are_open("telegram")) == 1


async def test_a_service_that_fails_stops_nobody_else(tmp_path: Path) -> None:
    broken = Told({"ok": False, "error": "fatal_error"})
    good: Any = {"ts": "17.2", "thread_ts": "17.1", "user": "U1", "text": "yes"}
    script: dict[str, Told | list[Told]] = {
        "GET /conversations.replies": [broken, Told({"ok": True, "messages": [good]})]
    }
    async with desk(tmp_path, script) as found:
        asked = await found.asked(SLACK)
        await found.replies.look("slack")
        assert await found.are_open("slack") == {asked.id}
        await found.replies.look("slack")
        assert await found.port(asked) == "confirmed"


async def test_a_service_that_runs_looks_by_itself_where_something_is_open(tmp_path: Path) -> None:
    good: Any = {"ts": "17.2", "thread_ts": "17.1", "user": "U1", "text": "yes"}
    script = {"GET /conversations.replies": Told({"ok": True, "messages": [good]})}
    async with desk(tmp_path, script) as found:
        asked = await found.asked(SLACK)
        async with found.replies.running():
            assert await found.port(asked) == "confirmed"
        looked = [one.path for one in found.service.heard if one.method == "GET"]
        assert set(looked) == {"/conversations.replies"}
