"""EXTERNAL_ACTION.SLACK: each action's request, byte for byte, and the handling of the answers."""

from pathlib import Path

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, TOKEN, bench

from toolweave.catalog.node import Outcome, Resumed, Wait
from toolweave.errors import Conflict, Denied, Invalid, NotFound, ToolweaveError, Unavailable
from toolweave.json_text import JsonObject
from toolweave.nodes.services.slack.action import node
from toolweave.nodes.services.slack.api import ACTIONS
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

BLOCKS: JsonObject = {"type": "divider"}
PLAIN: JsonObject = {"mrkdwn": False, "unfurl_links": True, "unfurl_media": True}
CONFIG: JsonObject = {"action_type": "send_message", "channel": "C024BE91L", "bot_token": TOKEN}


def mrkdwn(text: str) -> JsonObject:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


# Settings beside `CONFIG`, inputs, the request line, the JSON body.
CASES: list[tuple[JsonObject, JsonObject, str, JsonObject | None]] = [
    (
        {},
        {"message": "Hi"},
        "POST /chat.postMessage",
        {"channel": "C024BE91L", "text": "Hi", **PLAIN},
    ),
    (
        {"channel": "#general", "message_format": "mrkdwn", "thread_ts": "17.2"},
        {"message": "*Hi*", "user_mentions": ["U1AAAAAA", "U2AAAAAA"]},
        "POST /chat.postMessage",
        {
            "channel": "#general",
            "text": "<@U1AAAAAA> <@U2AAAAAA> *Hi*",
            "thread_ts": "17.2",
            **PLAIN,
            "mrkdwn": True,
        },
    ),
    (
        {"message_format": "blocks", "unfurl_links": False, "unfurl_media": False},
        {
            "message": "fallback",
            "blocks": [BLOCKS],
            "attachments": [{"color": "#f00"}],
            "channel_override": "C0OVERRIDE",
            "metadata": {"event_type": "deploy", "event_payload": {"id": 7}},
        },
        "POST /chat.postMessage",
        {
            "channel": "C0OVERRIDE",
            "text": "fallback",
            "blocks": [BLOCKS],
            "attachments": [{"color": "#f00"}],
            "mrkdwn": True,
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {"event_type": "deploy", "event_payload": {"id": 7}},
        },
    ),
    (
        {"message_format": "blocks"},
        {"message": "only text"},
        "POST /chat.postMessage",
        {
            "channel": "C024BE91L",
            "text": "only text",
            "blocks": [mrkdwn("only text")],
            **PLAIN,
            "mrkdwn": True,
        },
    ),
    (
        {},
        {"blocks": [BLOCKS], "user_mentions": ["U1AAAAAA"]},
        "POST /chat.postMessage",
        {
            "channel": "C024BE91L",
            "text": "<@U1AAAAAA>",
            "blocks": [BLOCKS, mrkdwn("<@U1AAAAAA>")],
            **PLAIN,
        },
    ),
    (
        {"channel": "#inc-0042"},
        {"action_type": "create_channel"},
        "POST /conversations.create",
        {"name": "inc-0042"},
    ),
    (
        {"action_type": "invite_users"},
        {"user_mentions": ["U1AAAAAA", "U2AAAAAA"]},
        "POST /conversations.invite",
        {"channel": "C024BE91L", "users": "U1AAAAAA,U2AAAAAA"},
    ),
    (
        {"action_type": "get_user_info"},
        {"user_mentions": ["U1AAAAAA"]},
        "GET /users.info?user=U1AAAAAA",
        None,
    ),
    (
        {"action_type": "get_channel_info"},
        {},
        "GET /conversations.info?channel=C024BE91L",
        None,
    ),
    (
        {"action_type": "update_message", "thread_ts": "17.2"},
        {"message": "new", "blocks": [BLOCKS]},
        "POST /chat.update",
        {"channel": "C024BE91L", "ts": "17.2", "text": "new", "blocks": [BLOCKS]},
    ),
    (
        {"action_type": "delete_message", "thread_ts": "17.2"},
        {},
        "POST /chat.delete",
        {"channel": "C024BE91L", "ts": "17.2"},
    ),
    (
        {"action_type": "set_channel_topic"},
        {"message": "On call: Ada"},
        "POST /conversations.setTopic",
        {"channel": "C024BE91L", "topic": "On call: Ada"},
    ),
    (
        {"action_type": "archive_channel"},
        {},
        "POST /conversations.archive",
        {"channel": "C024BE91L"},
    ),
]


@pytest.mark.parametrize(("config", "inputs", "line", "body"), CASES, ids=lambda one: str(one)[:40])
async def test_an_action_is_exactly_this_request(
    config: JsonObject, inputs: JsonObject, line: str, body: JsonObject | None
) -> None:
    async with bench() as here:
        found = await here.result(node, {**CONFIG, **config}, inputs)
        assert here.lines == [line]
        assert here.last == body
    assert here.service.heard[0].headers["authorization"] == f"Bearer {SECRET}"
    assert found["success"] is True
    assert found["error_message"] == ""
    assert found["action"] == inputs.get("action_type", {**CONFIG, **config}["action_type"])


def test_every_action_has_a_case() -> None:
    tried = {str(inputs.get("action_type", {**CONFIG, **one}["action_type"])) for one, inputs, *_ in
             CASES}  # fmt: skip
    assert tried | {"send_file"} == set(ACTIONS)


async def test_what_slack_answers_is_in_the_outputs() -> None:
    told = Told({"ok": True, "ts": "17.9", "channel": "C024BE91L", "message": {"text": "Hi"}})
    async with bench(usual=told) as here:
        found = await here.result(node, CONFIG, {"message": "Hi"})
    assert found == {
        "success": True,
        "action": "send_message",
        "content": "Hi",
        "message_ts": "17.9",
        "channel_id": "C024BE91L",
        "error_message": "",
        "api_response": told.value,
    }


async def test_a_file_is_uploaded_in_slacks_three_steps(tmp_path: Path) -> None:
    (tmp_path / "report.csv").write_bytes(b"a,b\n")
    place: JsonObject = {"ok": True, "upload_url": "{here}/put/1?token=x", "file_id": "F1"}
    script = {
        "POST /files.getUploadURLExternal": Told(place),
        "POST /put/1": Told(b"OK - 4"),
        "POST /files.completeUploadExternal": Told({"ok": True, "files": [{"id": "F1"}]}),
    }
    config: JsonObject = {**CONFIG, "action_type": "send_file", "thread_ts": "17.2"}
    files: JsonObject = {
        "attachments": [{"path": "report.csv", "title": "May"}],
        "message": "Numbers",
    }
    async with bench(script, folder=tmp_path) as here:
        found = await here.result(node, config, files)
        asked, put, done = here.service.heard
    assert asked.form == {"filename": "report.csv", "length": "4"}
    assert put.body == b"a,b\n"
    assert "authorization" not in put.headers
    assert done.json == {
        "files": [{"id": "F1", "title": "May"}],
        "channel_id": "C024BE91L",
        "initial_comment": "Numbers",
        "thread_ts": "17.2",
    }
    assert found["content"] == "report.csv"


async def test_a_channel_is_found_by_its_name_on_a_later_page() -> None:
    pages = [
        Told(
            {
                "ok": True,
                "channels": [{"id": "C1", "name": "a"}],
                "response_metadata": {"next_cursor": "p2"},
            }
        ),
        Told({"ok": True, "channels": [{"id": "C2", "name": "ops"}]}),
    ]
    async with bench({"GET /conversations.list": pages}) as here:
        config: JsonObject = {**CONFIG, "action_type": "archive_channel", "channel": "#ops"}
        await here.result(node, config)
        assert here.last == {"channel": "C2"}
        assert here.lines[1].endswith("&cursor=p2")


async def test_no_more_than_ten_pages_are_looked_through() -> None:
    page = Told({"ok": True, "channels": [], "response_metadata": {"next_cursor": "more"}})
    async with bench({"GET /conversations.list": page}) as here:
        with pytest.raises(NotFound) as caught:
            await here.result(node, {**CONFIG, "action_type": "archive_channel", "channel": "#ops"})
        assert len(here.lines) == 10
    assert code_of(caught) == "SERVICE_NOT_FOUND"


async def test_a_person_is_written_to_by_name() -> None:
    script = {
        "GET /users.list": Told({"ok": True, "members": [{"id": "U7AAAAAA", "name": "ada"}]}),
        "POST /conversations.open": Told({"ok": True, "channel": {"id": "D7AAAAAA"}}),
    }
    async with bench(script) as here:
        await here.result(node, {**CONFIG, "channel": "@Ada"}, {"message": "Hi"})
        assert here.last == {"channel": "D7AAAAAA", "text": "Hi", **PLAIN}


async def test_several_people_are_looked_up_one_by_one() -> None:
    async with bench(usual=Told({"ok": True, "user": {"name": "x"}})) as here:
        found = await here.result(
            node,
            {**CONFIG, "action_type": "get_user_info"},
            {"user_mentions": ["U1AAAAAA", "U2AAAAAA"]},
        )
    assert found["api_response"] == {"ok": True, "users": [{"name": "x"}, {"name": "x"}]}


@pytest.mark.parametrize(
    ("told", "kind", "code"),
    [
        (Told({"ok": False, "error": "invalid_auth"}), Denied, "SERVICE_CREDENTIAL_REFUSED"),
        (Told({"ok": False, "error": "missing_scope", "needed": "chat:write"}), Denied,
         "SERVICE_DENIED"),
        (Told({"ok": False, "error": "channel_not_found"}), NotFound, "SERVICE_NOT_FOUND"),
        (Told({"ok": False, "error": "name_taken"}), Conflict, "SERVICE_CONFLICT"),
        (Told({"ok": False, "error": "msg_too_long"}), Invalid, "SERVICE_REFUSED"),
        (Told({"ok": False, "error": "fatal_error"}), Unavailable, "SERVICE_UNAVAILABLE"),
        (Told(b"<html>", 502), Unavailable, "SERVICE_UNAVAILABLE"),
        (Told(b"<html>"), Unavailable, "SERVICE_ANSWER_INVALID"),
    ],
    ids=str,
)  # fmt: skip
async def test_a_refusal_is_a_failure_in_slacks_own_words(
    told: Told, kind: type[ToolweaveError], code: str
) -> None:
    async with bench(usual=told) as here:
        with pytest.raises(kind) as caught:
            await here.act(node, CONFIG, {"message": "Hi"})
    assert code_of(caught) == code
    if isinstance(told.value, dict):
        assert str(told.value["error"]) in caught.value.message


@pytest.mark.parametrize(
    ("config", "inputs"),
    [
        ({}, {}),
        ({"action_type": "update_message"}, {"message": "x"}),
        ({"action_type": "delete_message"}, {}),
        ({"action_type": "invite_users"}, {}),
        ({"action_type": "set_channel_topic"}, {}),
        ({"action_type": "send_file"}, {}),
    ],
)
async def test_what_an_action_needs_is_asked_for_before_anything_is_sent(
    config: JsonObject, inputs: JsonObject
) -> None:
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, **config}, inputs)
        assert here.lines == []
    assert code_of(caught) == "SERVICE_FIELD_MISSING"


async def test_a_limit_is_waited_for_in_the_journal_and_nothing_is_done_twice() -> None:
    limited = Told({"ok": False, "error": "ratelimited"}, 429, {"retry-after": "30"})
    script = {
        "GET /users.list": Told({"ok": True, "members": [{"id": "U7AAAAAA", "name": "ada"}]}),
        "POST /conversations.open": Told({"ok": True, "channel": {"id": "D7AAAAAA"}}),
        "POST /chat.postMessage": [limited, Told({"ok": True, "ts": "1.2"})],
    }
    config: JsonObject = {**CONFIG, "channel": "@ada"}
    async with bench(script) as here:
        wait = await here.act(node, config, {"message": "Hi"})
        assert isinstance(wait, Wait)
        assert wait.until is not None
        assert (wait.until - here.clock.now()).total_seconds() == 30
        resumed = Resumed("timer", memory=wait.memory)
        outcome = await here.act(node, config, {"message": "Hi"}, resumed)
        assert isinstance(outcome, Outcome)
        assert [line.partition("?")[0] for line in here.lines] == [
            "GET /users.list",
            "POST /conversations.open",
            "POST /chat.postMessage",
            "POST /chat.postMessage",
        ]


@pytest.mark.parametrize(
    ("seconds", "waits"), [("30", 5), ("7200", 0)], ids=["too often", "too long"]
)
async def test_waiting_has_an_end(seconds: str, waits: int) -> None:
    limited = Told({"ok": False, "error": "ratelimited"}, 429, {"retry-after": seconds})
    async with bench(usual=limited) as here:
        resumed = Resumed("timer", memory={"waits": waits, "answers": []})
        with pytest.raises(Unavailable) as caught:
            await here.act(node, CONFIG, {"message": "Hi"}, resumed)
    assert code_of(caught) == "SERVICE_LIMITED"


def test_asking_may_be_repeated_and_posting_may_not() -> None:
    assert node.effect_of({"action_type": "get_user_info"}) == "keyed"
    assert node.effect_of({"action_type": "update_message"}) == "keyed"
    assert node.effect_of({"action_type": "send_message"}) == "once"
    assert node.effect_of({"action_type": "{{ data.action }}"}) == "once"
