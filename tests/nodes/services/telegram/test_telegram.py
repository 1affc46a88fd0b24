"""EXTERNAL_ACTION.TELEGRAM_ACTION: each method's request, and the handling of the answers."""

from pathlib import Path

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, TOKEN, bench

from toolweave.catalog.node import Wait
from toolweave.errors import Denied, Invalid
from toolweave.json_text import JsonObject
from toolweave.nodes.services.telegram.action import INPUT_ACTIONS, node
from toolweave.nodes.services.telegram.api import ACTIONS
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

CONFIG: JsonObject = {"telegram_bot_token": TOKEN, "chat_id": "-100"}
ID = "AgACAgIAAxkBAAIBY2Zk"
MEMBER: JsonObject = {"user_management": {"user_id": "42"}}
EDIT: JsonObject = {"edit_config": {"message_id": "812"}}

# Of each action: settings, the method, its fields beside the chat.
CASES: list[tuple[str, JsonObject, str, JsonObject]] = [
    ("send_message", {"message_text": "Hi"}, "sendMessage",
     {"text": "Hi", "parse_mode": "Markdown"}),
    ("send_message",
     {"message_text": "Hi", "parse_mode": "HTML",
      "keyboard_config": {"type": "inline", "buttons": [[{"text": "A", "url": "https://x"}]]},
      "message_options": {"disable_notification": True, "protect_content": True,
                          "reply_to_message_id": "7", "allow_sending_without_reply": True}},
     "sendMessage",
     {"text": "Hi", "parse_mode": "HTML",
      "reply_markup": {"inline_keyboard": [[{"text": "A", "url": "https://x"}]]},
      "disable_notification": True, "protect_content": True,
      "reply_parameters": {"message_id": 7, "allow_sending_without_reply": True}}),
    ("send_message",
     {"message_text": "Hi", "keyboard_config": {"type": "reply", "buttons": [{"text": "Yes"}],
                                                "one_time_keyboard": True}},
     "sendMessage",
     {"text": "Hi", "parse_mode": "Markdown",
      "reply_markup": {"keyboard": [[{"text": "Yes"}]], "resize_keyboard": True,
                       "one_time_keyboard": True}}),
    ("send_photo", {"media_config": {"file_path": "https://x/a.png", "caption": "C"}}, "sendPhoto",
     {"photo": "https://x/a.png", "caption": "C", "parse_mode": "Markdown"}),
    ("send_document", {"media_config": {"file_path": ID}, "message_text": "C"}, "sendDocument",
     {"document": ID, "caption": "C", "parse_mode": "Markdown"}),
    ("send_video", {"media_config": {"file_path": ID, "supports_streaming": True}}, "sendVideo",
     {"video": ID, "supports_streaming": True, "parse_mode": "Markdown"}),
    ("send_audio", {"media_config": {"file_path": ID, "title": "T"}}, "sendAudio",
     {"audio": ID, "title": "T", "parse_mode": "Markdown"}),
    ("send_voice", {"media_config": {"file_path": ID}}, "sendVoice",
     {"voice": ID, "parse_mode": "Markdown"}),
    ("send_sticker", {"media_config": {"file_path": ID}}, "sendSticker", {"sticker": ID}),
    ("send_location",
     {"location_config": {"latitude": 52.5, "longitude": 13.4, "live_period": 0}}, "sendLocation",
     {"latitude": 52.5, "longitude": 13.4}),
    ("send_contact", {"contact_config": {"phone_number": "+49", "first_name": "Ada"}},
     "sendContact", {"phone_number": "+49", "first_name": "Ada"}),
    ("send_poll",
     {"poll_config": {"question": "When?", "options": ["Mo", "Tu"], "is_anonymous": False,
                      "allows_multiple_answers": True}},
     "sendPoll",
     {"question": "When?", "options": [{"text": "Mo"}, {"text": "Tu"}], "is_anonymous": False,
      "allows_multiple_answers": True}),
    ("edit_message", {**EDIT, "message_text": "New"}, "editMessageText",
     {"message_id": 812, "text": "New", "parse_mode": "Markdown"}),
    ("delete_message", EDIT, "deleteMessage", {"message_id": 812}),
    ("forward_message",
     {"forward_config": {"from_chat_id": "@news", "message_id": "812",
                         "disable_notification": True}},
     "forwardMessage", {"from_chat_id": "@news", "message_id": 812, "disable_notification": True}),
    ("pin_message", {**EDIT, "message_options": {"disable_notification": True}}, "pinChatMessage",
     {"message_id": 812, "disable_notification": True}),
    ("unpin_message", EDIT, "unpinChatMessage", {"message_id": 812}),
    ("ban_user",
     {"user_management": {"user_id": "42", "until_date": 1772800000, "revoke_messages": True}},
     "banChatMember", {"user_id": 42, "until_date": 1772800000, "revoke_messages": True}),
    ("unban_user", {"user_management": {"user_id": "42", "only_if_banned": True}},
     "unbanChatMember", {"user_id": 42, "only_if_banned": True}),
    ("kick_user", MEMBER, "unbanChatMember", {"user_id": 42, "only_if_banned": True}),
    ("promote_user",
     {"user_management": {"user_id": "42", "permissions": {"can_pin_messages": True}}},
     "promoteChatMember", {"user_id": 42, "can_pin_messages": True}),
    ("restrict_user",
     {"user_management": {"user_id": "42", "until_date": 1,
                          "permissions": {"can_send_messages": False}}},
     "restrictChatMember",
     {"user_id": 42, "permissions": {"can_send_messages": False}, "until_date": 1}),
    ("set_chat_title", {"message_text": "News"}, "setChatTitle", {"title": "News"}),
    ("set_chat_description", {"message_text": "All"}, "setChatDescription", {"description": "All"}),
    ("export_chat_invite", {}, "exportChatInviteLink", {}),
]  # fmt: skip
SENT = Told({"ok": True, "result": {"message_id": 9, "chat": {"id": -100}}})


@pytest.mark.parametrize(
    ("action", "config", "method", "body"), CASES, ids=[one[0] for one in CASES]
)
async def test_an_action_is_exactly_this_request(
    action: str, config: JsonObject, method: str, body: JsonObject
) -> None:
    async with bench(usual=SENT) as here:
        found = await here.result(node, {**CONFIG, **config, "action_type": action})
        assert here.lines[-1] == f"POST /bot{SECRET}/{method}"
        assert here.last == {"chat_id": "-100", **body}
    assert found["success"] is True
    assert found["chat_id"] == "-100"
    assert found["message_id"] == "9"


def test_every_action_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(ACTIONS)
    assert len(ACTIONS) == 23
    assert set(INPUT_ACTIONS) - set(ACTIONS) == {"create_poll"}


async def test_create_poll_of_the_input_is_send_poll() -> None:
    config: JsonObject = {
        **CONFIG,
        "action_type": "send_message",
        "poll_config": {"question": "?", "options": ["a", "b"]},
    }
    async with bench(usual=SENT) as here:
        await here.result(
            node, config, {"action_type": "create_poll", "data": {"chat_id": "@news"}}
        )
        assert here.lines[-1].endswith("/sendPoll")
        assert isinstance(here.last, dict)
        assert here.last["chat_id"] == "@news"


async def test_a_message_of_an_inline_query_needs_no_chat() -> None:
    config: JsonObject = {
        **CONFIG,
        "action_type": "edit_message",
        "message_text": "New",
        "edit_config": {"inline_message_id": "i1"},
    }
    async with bench(usual=Told({"ok": True, "result": True})) as here:
        await here.result(node, config)
        assert here.last == {"inline_message_id": "i1", "text": "New", "parse_mode": "Markdown"}


async def test_a_file_of_the_folder_is_sent_with_the_fields(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.pdf").write_bytes(b"%PDF")
    config: JsonObject = {
        **CONFIG,
        "action_type": "send_document",
        "media_config": {"file_path": "out/a.pdf", "caption": "May"},
        "keyboard_config": {"buttons": [[{"text": "A", "url": "https://x"}]]},
    }
    async with bench(usual=SENT, folder=tmp_path) as here:
        await here.result(node, config)
        body = here.service.heard[0].body
    assert b'name="chat_id"\r\n\r\n-100\r\n' in body
    assert b'name="reply_markup"\r\n\r\n{"inline_keyboard":' in body
    assert b'name="document"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF' in body


@pytest.mark.parametrize(
    ("action", "config"),
    [
        ("send_message", {}),
        ("send_photo", {}),
        ("send_poll", {"poll_config": {"question": "?"}}),
        ("edit_message", {"message_text": "x"}),
        ("delete_message", {}),
        ("ban_user", {}),
        ("restrict_user", MEMBER),
        ("forward_message", {}),
    ],
)
async def test_what_an_action_needs_is_asked_for_before_anything_is_sent(
    action: str, config: JsonObject
) -> None:
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, **config, "action_type": action})
        assert here.lines == []
    assert code_of(caught) == "SERVICE_FIELD_MISSING"


async def test_telegram_says_no_in_its_own_words_and_when_to_come_back() -> None:
    config: JsonObject = {**CONFIG, "action_type": "send_message", "message_text": "Hi"}
    refused: JsonObject = {
        "ok": False,
        "error_code": 403,
        "description": "Forbidden: bot was kicked",
        "parameters": {"migrate_to_chat_id": -1009},
    }
    async with bench(usual=Told(refused, 403)) as here:
        with pytest.raises(Denied) as caught:
            await here.act(node, config)
    assert "bot was kicked (its new id is -1009)" in caught.value.message
    assert SECRET not in str(caught.value.as_json())
    limited: JsonObject = {"ok": False, "error_code": 429, "parameters": {"retry_after": 12}}
    async with bench(usual=Told(limited, 429)) as here:
        wait = await here.act(node, config)
        assert isinstance(wait, Wait)
        assert wait.until is not None
        assert (wait.until - here.clock.now()).total_seconds() == 12
