"""Slack, Discord and Telegram: what is sent, what replies lead to, and what is told back."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.action.trying import web
from tests.nodes.human.asking import People, answers, people, said
from tests.nodes.services.acting import SECRET, TOKEN, Here

from toolweave.catalog.resources.record import Resources
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import carried, pressed
from toolweave.testing.service import FakeService, Script, Told, fake_service

pytestmark = pytest.mark.anyio

CONTENT: JsonObject = {"content": {"what": "two chairs"}, "user_mention": "@ada"}
SLACK, DISCORD, TELEGRAM = (
    f"HUMAN_IN_THE_LOOP.{name}_INTERACTION" for name in ("SLACK", "DISCORD", "TELEGRAM")
)
CONFIGS: dict[str, JsonObject] = {
    SLACK: {
        "channel": "#approvals",
        "bot_token": TOKEN,
        "clarification_question_template": "Buy {{ content.what }}?",
    },
    DISCORD: {
        "server_id": "81384788765712384",
        "channel_id": "381870553235193857",
        "message_template": "Buy {{ content.what }}?",
    },
    TELEGRAM: {
        "telegram_bot_token": TOKEN,
        "chat_id": "-100123",
        "message_template": "Buy {{ content.what }}?",
    },
}
CHANNEL = "/channels/381870553235193857"
SCRIPT: Script = {
    "POST /chat.postMessage": Told({"ok": True, "channel": "C1", "ts": "17.1"}),
    f"GET {CHANNEL}": Told({"id": "381870553235193857", "guild_id": "81384788765712384"}),
    f"POST {CHANNEL}/messages": Told({"id": "m1"}),
    f"POST /bot{SECRET}/sendMessage": Told(
        {"ok": True, "result": {"message_id": 7, "chat": {"id": -100123}}}
    ),
}
THREADS: dict[str, JsonObject] = {
    SLACK: {"channel": "C1", "ts": "17.1", "credential": TOKEN, "in_thread": True},
    DISCORD: {
        "channel": "381870553235193857",
        "message": "m1",
        "server": "81384788765712384",
    },
    TELEGRAM: {"chat": -100123, "message": 7, "credential": TOKEN},
}
REPLIES: list[tuple[Json, str]] = [
    ({"answer": "confirmed", "label": "Approve"}, "confirmed"),
    ({"text": "No, too dear"}, "rejected"),
    ({"text": "What colour?"}, "unrelated"),
]
of_each = pytest.mark.parametrize("ref", [SLACK, DISCORD, TELEGRAM])


@dataclass
class Chat:
    people: People
    service: FakeService

    @property
    def posts(self) -> list[Any]:
        return [one.json for one in self.service.heard if one.method == "POST"]


@asynccontextmanager
async def chat(folder: Path, script: Script | None = None) -> AsyncGenerator[Chat]:
    async with (
        fake_service({**SCRIPT, **(script or {})}) as service,
        web(the_token=SECRET) as http,
        people(folder, Resources(http=http, services=Here(service.address))) as house,
    ):
        yield Chat(house, service)


@of_each
@pytest.mark.parametrize(("reply", "port"), REPLIES)
async def test_a_reply_leaves_by_its_meaning_and_is_thanked_for(
    tmp_path: Path, ref: str, reply: Json, port: str
) -> None:
    async with chat(tmp_path) as found:
        run = await found.people.asked(ref, CONFIGS[ref], CONTENT)
        asked = await found.people.question(run)
        assert asked.text == "Buy two chairs?"
        assert asked.thread == THREADS[ref]
        outcome = await found.people.reply(run, reply, by="U1", via=asked.channel)
        question, thanks = found.posts
    assert said(outcome)[0] == port
    assert "@ada Buy two chairs?" in str(question)
    assert carried(asked.id, "confirmed") in str(question)
    assert any(word in str(thanks) for word in ("Thank you", "neither", "yes or no"))


@of_each
async def test_nobody_in_time_is_reminded_and_told(tmp_path: Path, ref: str) -> None:
    async with chat(tmp_path) as found:
        run = await found.people.asked(ref, CONFIGS[ref], CONTENT)
        assert await found.people.later(run) is None
        outcome = await found.people.later(run)
        _, again, over = found.posts
    assert said(outcome)[0] == "timeout"
    assert "Reminder" in str(again)
    assert "The time to answer is over." in str(over)


@of_each
async def test_no_token_is_in_any_record(tmp_path: Path, ref: str) -> None:
    async with chat(tmp_path) as found:
        run = await found.people.asked(ref, CONFIGS[ref], CONTENT)
        await found.people.reply(run, "yes", by="U1")
        rows = await found.people.engine.journal.database.rows("SELECT body FROM journal")
        more = await found.people.engine.journal.database.rows("SELECT body FROM questions")
    assert SECRET not in str(rows) + str(more)


@of_each
async def test_thanks_that_cannot_be_sent_change_nothing(tmp_path: Path, ref: str) -> None:
    refused = Told({"ok": False, "error": "fatal_error"}, 500)
    script: dict[str, Told | list[Told]] = {
        name: [told, refused]
        for name, told in SCRIPT.items()
        if name.startswith("POST") and isinstance(told, Told)
    }
    async with chat(tmp_path, script) as found:
        run = await found.people.asked(ref, CONFIGS[ref], CONTENT)
        outcome = await found.people.reply(run, "yes", by="U1")
    assert said(outcome) == ("confirmed", "yes")


async def test_a_channel_of_another_server_is_refused(tmp_path: Path) -> None:
    script = {f"GET {CHANNEL}": Told({"id": "381870553235193857", "guild_id": "1"})}
    async with chat(tmp_path, script) as found:
        run = await found.people.asked(DISCORD, CONFIGS[DISCORD], CONTENT)
        (failure,) = (await found.people.engine.state(run)).failures.values()
    assert failure.code == "DISCORD_CHANNEL_ELSEWHERE"


async def test_slack_asks_a_person_in_a_chat_of_their_own(tmp_path: Path) -> None:
    script = {
        "GET /users.list": Told({"ok": True, "members": [{"id": "U0GRACE", "name": "grace"}]}),
        "POST /conversations.open": Told({"ok": True, "channel": {"id": "D024BE91L"}}),
    }
    config = {**CONFIGS[SLACK], "channel": "@grace", "auto_thread": False}
    async with chat(tmp_path, script) as found:
        run = await found.people.asked(SLACK, config, CONTENT)
        thread = (await found.people.question(run)).thread
    assert thread is not None
    assert thread["in_thread"] is False
    assert found.posts[-1]["channel"] == "D024BE91L"


@pytest.mark.parametrize(
    ("config", "reply", "counts"),
    [
        ({"target_users": ["U1"]}, {"text": "yes"}, True),
        ({"target_users": ["U2"]}, {"text": "yes"}, False),
        ({"allow_text_responses": False}, {"text": "yes"}, False),
        ({"allow_text_responses": False}, {"answer": "confirmed"}, True),
        ({"require_specific_response": True}, {"text": "yes"}, False),
        (
            {
                "require_specific_response": True,
                "allowed_response_patterns": ["(?i)^(yes|no)\\b"],
            },
            {"text": "Yes!"},
            True,
        ),
        ({"allow_text_responses": False, "enable_reply_keyboard": True}, {"text": "Approve"}, True),
    ],
)
async def test_telegram_counts_what_its_settings_say(
    tmp_path: Path, config: JsonObject, reply: Json, counts: bool
) -> None:
    async with chat(tmp_path) as found:
        run = await found.people.asked(TELEGRAM, {**CONFIGS[TELEGRAM], **config}, CONTENT)
        outcome = await found.people.reply(run, reply, by="U1")
        if not counts:
            assert outcome is None
            outcome = await found.people.later(run) or await found.people.later(run)
    assert answers(outcome)[0]["counted"] is counts


@pytest.mark.parametrize(
    ("config", "sent"),
    [
        ({"parse_mode": "HTML", "disable_notification": True}, {"parse_mode": "HTML"}),
        (
            {"enable_reply_keyboard": True, "reply_keyboard_buttons": ["Go", "Stay"]},
            {
                "reply_markup": {
                    "keyboard": [[{"text": "Go"}, {"text": "Stay"}]],
                    "one_time_keyboard": True,
                    "resize_keyboard": True,
                }
            },
        ),
    ],
)
async def test_telegram_sends_what_its_settings_say(
    tmp_path: Path, config: JsonObject, sent: JsonObject
) -> None:
    async with chat(tmp_path) as found:
        await found.people.asked(TELEGRAM, {**CONFIGS[TELEGRAM], **config}, CONTENT)
    assert found.posts[0] == found.posts[0] | sent


async def test_telegram_thanks_in_the_words_of_the_node(tmp_path: Path) -> None:
    config: JsonObject = {**CONFIGS[TELEGRAM], "confirmation_messages": {"confirmed": "Danke!"}}
    async with chat(tmp_path) as found:
        run = await found.people.asked(TELEGRAM, config, CONTENT)
        await found.people.reply(run, "yes", by="U1")
    assert found.posts[-1]["text"] == "Danke!"
    assert found.posts[-1]["reply_parameters"] == {"message_id": 7}


async def test_a_pattern_that_cannot_be_read_fails_the_step(tmp_path: Path) -> None:
    config: JsonObject = {**CONFIGS[TELEGRAM], "allowed_response_patterns": ["(?=x)"]}
    async with chat(tmp_path) as found:
        run = await found.people.asked(TELEGRAM, config, CONTENT)
        (failure,) = (await found.people.engine.state(run)).failures.values()
    assert failure.code == "REPLY_PATTERN_INVALID"


def test_what_a_button_carries_comes_back_as_it_was() -> None:
    text = carried("0123456789abcdef", "confirmed")
    back = pressed(text)
    assert back is not None
    assert back.reply == {"answer": "confirmed", "label": "Approve"}
    assert len(carried("0123456789abcdef", "ä" * 100).encode()) <= 64
    assert pressed("tw:zz:confirmed") is None
    assert pressed(None) is None
