"""EXTERNAL_ACTION.DISCORD_ACTION: each action's requests, and the handling of the answers."""

from pathlib import Path

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, bench

from toolweave.catalog.node import Resumed, Wait
from toolweave.catalog.resources.record import Resources
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.discord.action import node
from toolweave.nodes.services.discord.api import ACTIONS
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

C = "/channels/5"
G = "/guilds/1"
CONFIG: JsonObject = {"server_id": "1", "channel_id": "5"}
EMBED: JsonObject = {"title": "Down", "color": 15158332}

# Of each action: settings, the input `data`, the last request, its body and its reason.
CASES: list[tuple[str, JsonObject, JsonObject, str, Json, str | None]] = [
    ("send_message", {"message_content": "Hi"}, {}, f"POST {C}/messages", {"content": "Hi"}, None),
    ("send_message", {"embed_config": EMBED}, {"channel_id": "6"}, "POST /channels/6/messages",
     {"embeds": [EMBED]}, None),
    ("send_message", {"message_content": "Hi", "message_id": "9"}, {}, f"POST {C}/messages",
     {"content": "Hi", "message_reference": {"message_id": "9"}}, None),
    ("create_channel",
     {"channel_config": {"name": "ops", "type": "text", "category_id": "3", "topic": "T",
                         "permissions": [{"id": "8", "type": "role", "allow": 1024}]}},
     {}, f"POST {G}/channels",
     {"name": "ops", "type": 0, "topic": "T", "parent_id": "3",
      "permission_overwrites": [{"id": "8", "type": 0, "allow": "1024"}]}, None),
    ("create_channel", {"channel_config": {"name": "v", "type": "voice"}}, {},
     f"POST {G}/channels", {"name": "v", "type": 2}, None),
    ("delete_channel", {}, {}, f"DELETE {C}", None, None),
    ("manage_roles",
     {"target_user_id": "7", "role_config": {"role_id": "4", "action": "add", "reason": "Né w"}},
     {}, f"PUT {G}/members/7/roles/4", None, "N%C3%A9 w"),
    ("manage_roles", {"target_user_id": "7", "role_config": {"role_id": "4", "action": "remove"}},
     {}, f"DELETE {G}/members/7/roles/4", None, None),
    ("kick_member", {"target_user_id": "7", "moderation_config": {"reason": "Spam"}}, {},
     f"DELETE {G}/members/7", None, "Spam"),
    ("ban_member",
     {"target_user_id": "7", "moderation_config": {"reason": "Spam", "delete_message_days": 2}},
     {}, f"PUT {G}/bans/7", {"delete_message_seconds": 172800}, "Spam"),
    ("ban_member",
     {"target_user_id": "7", "moderation_config": {"send_dm": True, "dm_message": "Bye"}},
     {}, f"PUT {G}/bans/7", {}, None),
    ("create_invite", {"channel_config": {"max_age": 3600, "max_uses": 1}}, {},
     f"POST {C}/invites", {"max_age": 3600, "max_uses": 1}, None),
    ("send_dm", {"target_user_id": "7", "message_content": "Hi"}, {},
     "POST /channels/77/messages", {"content": "Hi"}, None),
    ("react_to_message", {"message_id": "9"}, {},
     f"PUT {C}/messages/9/reactions/%F0%9F%91%8D/@me", None, None),
    ("react_to_message", {"message_id": "9", "reaction_emoji": "ok:12"}, {},
     f"PUT {C}/messages/9/reactions/ok%3A12/@me", None, None),
    ("pin_message", {}, {"message_id": "9"}, f"PUT {C}/messages/pins/9", None, None),
    ("create_thread", {"thread_config": {"name": "T", "type": "private"}}, {},
     f"POST {C}/threads", {"name": "T", "type": 12}, None),
    ("create_thread",
     {"message_id": "9", "thread_config": {"name": "T", "auto_archive_duration": 60}}, {},
     f"POST {C}/messages/9/threads", {"name": "T", "auto_archive_duration": 60}, None),
    ("manage_permissions",
     {"channel_config": {"permissions": [{"id": "8", "type": "member", "deny": "2048"}]}}, {},
     f"PUT {C}/permissions/8", {"type": 1, "deny": "2048"}, None),
    ("send_webhook",
     {"message_content": "Hi", "webhook_config": {"webhook_url": "${vault:the-hook}",
                                                  "username": "Bot"}},
     {}, "POST /hook?wait=true", {"content": "Hi", "username": "Bot"}, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("action", "config", "data", "line", "body", "reason"), CASES, ids=[one[0] for one in CASES]
)
async def test_an_action_is_exactly_this_request(
    action: str, config: JsonObject, data: JsonObject, line: str, body: Json, reason: str | None
) -> None:
    told = Told({"id": "77", "channel_id": "5"})
    async with bench(usual=told) as here:
        settings: JsonObject = {**CONFIG, **config, "action_type": action}
        found = await here.result(node, settings, {"data": data})
        last = here.service.heard[-1]
        assert here.lines[-1] == line
        assert last.json == body
    assert last.headers.get("x-audit-log-reason") == reason
    is_hook = action == "send_webhook"
    assert last.headers.get("authorization") == (None if is_hook else f"Bot {SECRET}")
    assert found["success"] is True
    assert found["channel_id"] == "5"
    if action.startswith("send_"):
        assert found["message_id"] == "77"


def test_every_action_has_a_case() -> None:
    assert {case[0] for case in CASES} | {"send_file"} == set(ACTIONS)


async def test_a_member_is_told_before_the_ban() -> None:
    config: JsonObject = {
        **CONFIG,
        "target_user_id": "7",
        "moderation_config": {"send_dm": True, "dm_message": "Bye"},
        "action_type": "ban_member",
    }
    async with bench(usual=Told({"id": "77"})) as here:
        await here.result(node, config)
        assert here.lines == [
            "POST /users/@me/channels",
            "POST /channels/77/messages",
            f"PUT {G}/bans/7",
        ]
        assert here.service.heard[1].json == {"content": "Bye"}
    assert node.effect_of(config) == "once"


async def test_a_file_is_sent_with_its_text(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a,b\n")
    config: JsonObject = {
        **CONFIG,
        "message_content": "Sales",
        "file_config": {"file_path": "sales.csv", "filename": 'a"b.csv', "description": "By day"},
        "action_type": "send_file",
    }
    async with bench(usual=Told({"id": "77"}), folder=tmp_path) as here:
        await here.result(node, config)
        body = here.service.heard[0].body
    assert b'name="payload_json"\r\n\r\n{"content":"Sales","attachments":[{"id":0,' in body
    assert (
        b'name="files[0]"; filename="a%22b.csv"\r\nContent-Type: text/csv\r\n\r\na,b\n\r\n' in body
    )


async def test_the_action_of_the_input_wins() -> None:
    async with bench(usual=Told({"id": "77"})) as here:
        config: JsonObject = {**CONFIG, "action_type": "delete_channel", "message_content": "Hi"}
        await here.result(node, config, {"action_type": "send_message"})
        assert here.lines == [f"POST {C}/messages"]


@pytest.mark.parametrize(
    ("action", "config"),
    [
        ("send_message", {}),
        ("send_message", {"message_content": "x" * 2001}),
        ("send_file", {}),
        ("send_webhook", {"message_content": "x"}),
        ("manage_permissions", {}),
        ("manage_roles", {"target_user_id": "7"}),
        ("kick_member", {}),
        ("create_thread", {"thread_config": {"name": "T", "type": "odd"}}),
        ("pin_message", {}),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is(
    action: str, config: JsonObject
) -> None:
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, **config, "action_type": action})
        assert here.lines == []
    assert code_of(caught) in {"SERVICE_FIELD_MISSING", "SERVICE_FIELD_INVALID"}


async def test_a_webhook_needs_no_credential_of_a_bot() -> None:
    hook: JsonObject = {"webhook_url": "${vault:the-hook}"}
    config: JsonObject = {**CONFIG, "message_content": "Hi", "webhook_config": hook}
    async with bench(usual=Told({"id": "77"})) as here:
        here.resources = Resources(http=here.resources.http)
        await here.result(node, {**config, "action_type": "send_webhook"})
        assert here.lines == ["POST /hook?wait=true"]


async def test_a_secret_is_not_taken_from_data() -> None:
    async with bench() as here:
        data: JsonObject = {"webhook_config": {"webhook_url": "${vault:the-hook}"}}
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, "action_type": "send_webhook"}, {"data": data})
        assert here.lines == []
    assert code_of(caught) == "NODE_INPUT_INVALID"


LIMITED = Told({"message": "You are being rate limited.", "retry_after": 0.5}, 429)


async def test_retries_are_as_the_settings_say() -> None:
    config: JsonObject = {
        **CONFIG,
        "action_type": "send_message",
        "message_content": "Hi",
        "retry_config": {"max_retries": 2, "retry_delay": 4, "exponential_backoff": True},
    }
    async with bench(usual=LIMITED) as here:
        seconds: list[float] = []
        resumed = None
        for _ in range(2):
            wait = await here.act(node, config, resumed=resumed)
            assert isinstance(wait, Wait)
            assert wait.until is not None
            seconds.append((wait.until - here.clock.now()).total_seconds())
            resumed = Resumed("timer", memory=wait.memory)
        with pytest.raises(Unavailable):
            await here.act(node, config, resumed=resumed)
    assert seconds == [4, 8]


async def test_a_limit_fails_at_once_where_it_shall_not_be_waited_for() -> None:
    config: JsonObject = {
        **CONFIG,
        "action_type": "send_message",
        "message_content": "Hi",
        "rate_limit_handling": False,
    }
    async with bench(usual=LIMITED) as here:
        with pytest.raises(Denied) as caught:
            await here.act(node, config)
    assert code_of(caught) == "SERVICE_LIMITED"


async def test_a_refusal_names_the_field_that_discord_dislikes() -> None:
    told = Told(
        {"message": "Invalid Form Body",
         "errors": {"embeds": {"0": {"_errors": [{"message": "too long"}]}}}}, 400
    )  # fmt: skip
    async with bench(usual=told) as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, "action_type": "send_message", "message_content": "Hi"})
    assert "Invalid Form Body; embeds.0: too long" in caught.value.message
