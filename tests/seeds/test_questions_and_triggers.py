"""Questions to people, and what starts runs, over REST and hooks with scripted services."""

import hashlib
import hmac
import json
from collections.abc import AsyncGenerator
from email import message_from_bytes, policy
from typing import Any

import httpx2
import pytest
from tests.nodes.human.test_chats import CONFIGS, SCRIPT
from tests.nodes.human.test_mails import BASE as MAIL
from tests.nodes.human.test_mails import FIELDS
from tests.nodes.human.test_review import BASE as REVIEW
from tests.nodes.services.acting import SECRET
from tests.nodes.services.smtp_server import serving_smtp
from tests.seeds.running import START, Json, Service, document, node, service_in, step
from tests.triggers.imap_server import serving_imap
from tests.triggers.test_mail import a_mail

from toolweave.testing.model import KEY, ScriptedModel, gives
from toolweave.testing.service import fake_service

pytestmark = pytest.mark.anyio

END: Json = {"id": "end", "type": "end", "name": "end", "data": {}}
CONTENT: Json = {"content": {"what": "two kettles", "version": "2.0"}}
# What is said, and the way that the run goes on by.
REPLIES = [("Yes, go ahead", "confirmed"), ("No, too dear", "rejected"), ("Who?", "unrelated")]
HUMAN = "HUMAN_IN_THE_LOOP."


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Service]:
    async with service_in(tmp_path_factory.mktemp("people") / "home") as opened:
        yield opened


async def asked(service: Service, ref: str, config: Json) -> str:
    run = await service.started(document("ask", START, node("n", ref, config, CONTENT)))
    await service.until(run, "waiting")
    return run


async def told(service: Service, run: str, reply: Any, who: str | None = None) -> Any:
    """Answer in the inbox, and what comes of it."""
    [asked] = [
        one for one in (await service.json("GET", "inbox"))["questions"] if one["run"] == run
    ]
    body = {"reply": reply} if who is None else {"reply": reply, "as": who}
    assert (await service.json("POST", f"inbox/{asked['id']}/answer", body))["counts"]
    return step(await service.over(run))["value"]


CHATS = [
    pytest.param(
        f"{HUMAN}SLACK_INTERACTION",
        "slack",
        marks=pytest.mark.requirement("004:run.HUMAN_IN_THE_LOOP.SLACK_INTERACTION"),
    ),
    pytest.param(
        f"{HUMAN}DISCORD_INTERACTION",
        "discord",
        marks=pytest.mark.requirement("004:run.HUMAN_IN_THE_LOOP.DISCORD_INTERACTION"),
    ),
    pytest.param(
        f"{HUMAN}TELEGRAM_INTERACTION",
        "telegram",
        marks=pytest.mark.requirement("004:run.HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION"),
    ),
]


@pytest.mark.parametrize(("ref", "kind"), CHATS)
async def test_a_chat_is_asked_and_each_reply_takes_its_way(
    service: Service, ref: str, kind: str
) -> None:
    async with fake_service(SCRIPT) as chat:
        for name in ("the-token", kind):
            stored = {"token": SECRET, "kind": kind, "baseUrl": chat.address}
            await service.json("PUT", f"services/{name}", stored)
        for words, port in REPLIES:
            run = await asked(service, ref, CONFIGS[ref])
            posts = [one.body.decode() for one in chat.heard if one.method == "POST"]
            assert "Buy two kettles?" in posts[-1]
            given = await told(service, run, words)
            assert (given["ai_classification"], given["user_response"]) == (port, words)
        run = await asked(service, ref, CONFIGS[ref])
        await service.later(30 * 86_400)
        assert step(await service.over(run))["value"]["ai_classification"] == "timeout"
        for name in ("the-token", kind):
            await service.send("DELETE", f"services/{name}")


@pytest.mark.requirement(
    "004:run.HUMAN_IN_THE_LOOP.GMAIL_INTERACTION", "004:run.HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION"
)
@pytest.mark.parametrize("ref", FIELDS)
async def test_a_mail_is_sent_and_each_reply_takes_its_way(service: Service, ref: str) -> None:
    with serving_smtp() as postbox, serving_imap() as mailbox:
        mailbox.password = postbox.password
        await service.house.home.vault.put("mail-password", postbox.password)
        account = {
            "username": postbox.username,
            "password": "${vault:mail-password}",
            "smtp_host": "127.0.0.1",
            "smtp_port": postbox.port,
            "imap_host": "127.0.0.1",
            "imap_port": mailbox.port,
            "security": "none",
        }
        for words, port in REPLIES:
            run = await asked(service, ref, {**MAIL, FIELDS[ref]: account})
            mail = message_from_bytes(postbox.mails[-1], policy=policy.default)
            assert mail["Subject"] == "Budget two kettles"
            given = await told(service, run, words, "ada@example.com")
            assert given["ai_classification"] == port
        run = await asked(service, ref, {**MAIL, FIELDS[ref]: account})
        await service.later(30 * 86_400)
        assert step(await service.over(run))["value"]["ai_classification"] == "timeout"


@pytest.mark.requirement("004:run.HUMAN_IN_THE_LOOP.MANUAL_REVIEW")
@pytest.mark.parametrize(
    ("reply", "port"),
    [
        ({"verdict": "pass"}, "confirmed"),
        ({"verdict": "fail", "evidence": "it leaks"}, "rejected"),
        ({"abstain": True}, "unrelated"),
        (None, "timeout"),
    ],
)
async def test_reviewers_find_the_question_in_their_inbox(
    service: Service, reply: Any, port: str
) -> None:
    run = await asked(service, f"{HUMAN}MANUAL_REVIEW", REVIEW)
    found = (await service.json("GET", "inbox?for=bob"))["questions"]
    [question] = [one["question"] for one in found if one["run"] == run]
    assert question["title"] == "Release 2.0"
    if reply is not None:
        given = await told(service, run, reply, "bob")
    else:
        await service.later(365 * 86_400)
        given = step(await service.over(run))["value"]
    assert given["ai_classification"] == port


@pytest.mark.requirement("004:hil.analysis")
async def test_a_reply_is_read_by_the_node_itself_with_a_model_where_there_is_one(
    service: Service,
) -> None:
    ref, unclear = f"{HUMAN}MANUAL_REVIEW", "Let us not make a fuss and ship the thing"
    for words, port in ((unclear, "unrelated"), ("looks good to me", "confirmed")):
        given = await told(service, await asked(service, ref, REVIEW), words, "bob")
        assert given["ai_classification"] == port
    with ScriptedModel(gives({"meaning": "confirmed"})).running() as model:
        new = {"name": "reader", "provider": "openai", "model": "m", "key": KEY}
        await service.json("POST", "models", {**new, "baseUrl": model.base_url("openai")})
        given = await told(service, await asked(service, ref, REVIEW), unclear, "bob")
        assert model.heard
    assert given["ai_classification"] == "confirmed"
    await service.send("DELETE", "models/reader")


async def hooked(service: Service, path: str, body: Any, **headers: str) -> httpx2.Response:
    content = json.dumps(body).encode()
    sent = {"content-type": "application/json", **headers}
    return await service.house.client.post(f"/hooks{path}", content=content, headers=sent)


def signed(data: bytes) -> str:
    return hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest()


@pytest.mark.requirement("004:run.TRIGGER.WEBHOOK")
async def test_a_request_to_its_path_starts_a_run(service: Service) -> None:
    config = {"webhook_path": "/teas/new", "allowed_methods": ["POST"]}
    await service.stored(document("hook", node("when", "TRIGGER.WEBHOOK", config), END))
    answer = await hooked(service, "/teas/new?from=shop", {"tea": "oolong"})
    assert answer.status_code == 202, answer.text
    [run] = await service.runs_of("hook")
    assert (run["id"], run["trigger"]) == (answer.json()["run_id"], "webhook")
    given = step(run, "when")["value"]
    assert (given["body"], given["query_params"]) == ({"tea": "oolong"}, {"from": "shop"})
    assert (await service.house.client.put("/hooks/teas/new")).status_code == 405


@pytest.mark.requirement("004:run.TRIGGER.GITHUB")
async def test_an_event_of_a_repository_starts_a_run(service: Service) -> None:
    await service.house.home.vault.put("gh", SECRET)
    config = {"repository": "tea/pot", "events": ["issues"], "webhook_secret": "${vault:gh}"}
    await service.stored(document("issues", node("when", "TRIGGER.GITHUB", config), END))
    body = {"action": "opened", "repository": {"full_name": "tea/pot"}, "sender": {"login": "ada"}}
    headers = {"x-github-event": "issues", "x-github-delivery": "d-9"}
    forged = await hooked(
        service, "/github", body, **headers, **{"x-hub-signature-256": "sha256=0"}
    )
    assert forged.status_code == 403
    headers["x-hub-signature-256"] = f"sha256={signed(json.dumps(body).encode())}"
    assert (await hooked(service, "/github", body, **headers)).status_code == 202
    [run] = await service.runs_of("issues")
    given = step(run, "when")["value"]
    assert (given["event_type"], given["sender"]) == ("issues", "ada")


@pytest.mark.requirement("004:run.TRIGGER.SLACK")
async def test_an_event_of_a_workspace_starts_a_run(service: Service) -> None:
    for name in ("slack-signing-secret", "bot"):
        await service.house.home.vault.put(name, SECRET)
    config = {"workspace_id": "T1", "events": ["app_mention"], "bot_token": "${vault:bot}"}
    await service.stored(document("chat", node("when", "TRIGGER.SLACK", config), END))
    event = {"type": "app_mention", "channel": "C1", "user": "U1", "text": "tea?", "ts": "1.2"}
    body = {"type": "event_callback", "team_id": "T1", "event_id": "Ev9", "event": event}
    moment = str(int(service.house.clock.now().timestamp()))
    signature = signed(f"v0:{moment}:".encode() + json.dumps(body).encode())
    headers = {"x-slack-request-timestamp": moment, "x-slack-signature": f"v0={signature}"}
    assert (await hooked(service, "/slack", body, **headers)).status_code == 202
    [run] = await service.runs_of("chat")
    given = step(run, "when")["value"]
    assert (given["event_type"], given["message_text"]) == ("app_mention", "tea?")


@pytest.mark.requirement("004:run.TRIGGER.CRON")
async def test_its_schedule_starts_a_run(service: Service) -> None:
    config = {"cron_expression": "*/20 * * * *", "timezone": "UTC"}
    await service.stored(document("often", node("when", "TRIGGER.CRON", config), END))
    service.house.clock.seconds += 20 * 60
    [run] = await service.runs_of("often")
    assert run["trigger"] == "cron"
    assert step(run, "when")["value"]["scheduled_time"].endswith(("0:00.000Z", "0:00Z"))
    await service.json("POST", "triggers/often/disable", {})


@pytest.mark.requirement("004:run.TRIGGER.EMAIL")
async def test_a_mail_starts_a_run(service: Service) -> None:
    with serving_imap() as mailbox:
        await service.house.home.vault.put("mail", mailbox.password)
        mailbox.add(a_mail("was there before"))
        config = {
            "email_provider": "imap",
            "server_config": {"host": "127.0.0.1", "port": mailbox.port, "use_ssl": False},
            "credentials": {"username": "me", "password": "${vault:mail}"},
            "polling_interval": 30,
        }
        await service.stored(document("mail", node("when", "TRIGGER.EMAIL", config), END))
        service.house.clock.seconds += 31
        while not mailbox.logins:
            await service.json("GET", "triggers")
        mailbox.add(a_mail("Order 7"))
        service.house.clock.seconds += 31
        [run] = await service.runs_of("mail")
        await service.json("POST", "triggers/mail/disable", {})
    given = step(run, "when")["value"]
    assert (given["subject"], given["body_text"].strip()) == ("Order 7", "The whole text.")
