"""Deliveries of other systems, through the door and the guard."""

import hashlib
import hmac
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from tests.triggers.hosting import node, trigger
from tests.triggers.serving import Served, serving

from toolweave.errors import Invalid, NotFound

pytestmark = pytest.mark.anyio

SECRET = "a-secret-of-the-test"


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    async with serving(tmp_path / "home") as opened:
        yield opened


def signature(data: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def stamp(served: Served) -> str:
    return str(int(served.host.clock.now().timestamp()))


async def hook(served: Served, name: str = "Orders", **config: Any) -> None:
    given = {"webhook_path": "/orders/new", **config}
    await served.host.enable(name, trigger("WEBHOOK", **given), node("end"))


@pytest.mark.exercises("TRIGGER.WEBHOOK.webhook_path")
async def test_a_request_starts_a_run_with_all_of_it(served: Served) -> None:
    await hook(served)
    answer = await served.post("/orders/new?from=shop&wait=0", json={"order": 7})
    assert answer.status_code == 202
    run = (await served.host.runs())[0]
    assert answer.json() == {"run_id": run.id, "status": "accepted"}
    assert run.trigger == "webhook"
    told = (await served.host.inputs())[0]
    headers = told.pop("headers")
    assert isinstance(headers, dict)
    assert headers["content-type"] == "application/json"
    assert told == {
        "body": {"order": 7},
        "query_params": {"from": "shop"},
        "method": "POST",
        "path": "/orders/new",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "client_ip": "203.0.113.7",
    }


@pytest.mark.parametrize(
    ("content_type", "content", "expected"),
    [
        ("application/json", b'{"a": [1]}', {"a": [1]}),
        ("application/vnd.x+json; charset=utf-8", b"[1]", [1]),
        ("application/x-www-form-urlencoded", b"a=1&b=2&b=3", {"a": "1", "b": ["2", "3"]}),
        ("text/plain", "grüße".encode(), "grüße"),
        ("application/json", b"", None),
    ],
)  # fmt: skip
async def test_a_body_is_parsed_by_its_type(
    served: Served, content_type: str, content: bytes, expected: object
) -> None:
    await hook(served)
    headers = {"content-type": content_type}
    assert (await served.post("/orders/new", content=content, headers=headers)).status_code == 202
    assert (await served.host.inputs())[0]["body"] == expected


async def test_json_that_is_none_starts_nothing(served: Served) -> None:
    await hook(served)
    for bad in (b"{", b'{"a": 1, "a": 2}', b"[" * 100 + b"]" * 100):
        headers = {"content-type": "application/json"}
        answer = await served.post("/orders/new", content=bad, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "JSON_INVALID")
    assert await served.host.runs() == []


@pytest.mark.exercises("TRIGGER.WEBHOOK.allowed_methods=GET|POST|PUT|PATCH|DELETE")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_each_method_starts_a_run_where_it_is_allowed(served: Served, method: str) -> None:
    await hook(served, allowed_methods=[method])
    for tried in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        answer = await served.client.request(tried, "/hooks/orders/new")
        assert answer.status_code == (202 if tried == method else 405)
        assert tried == method or answer.headers["allow"] == method
    assert [one["method"] for one in await served.host.inputs()] == [method]


async def test_an_address_that_nobody_has_is_not_found(served: Served) -> None:
    answer = await served.post("/nobody")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "HOOK_NOT_FOUND")


async def test_a_hook_that_was_switched_off_is_gone(served: Served) -> None:
    await hook(served)
    assert (await served.post("/orders/new")).status_code == 202
    await served.host.triggers.switches.disable("Orders")
    await served.host.triggers.active.refresh()
    assert (await served.post("/orders/new")).status_code == 404


@pytest.mark.exercises(
    "TRIGGER.WEBHOOK.authentication=none|header_token|query_param", "TRIGGER.WEBHOOK.auth_token"
)
@pytest.mark.parametrize(
    ("way", "good", "bad"),
    [
        ("header_token", {"headers": {"authorization": f"Bearer {SECRET}"}}, {}),
        ("query_param", {"params": {"token": SECRET}}, {"params": {"token": "guess"}}),
        ("none", {}, None),
    ],
)
async def test_each_way_of_proof_lets_in_who_has_it(
    served: Served, way: str, good: dict[str, Any], bad: dict[str, Any] | None
) -> None:
    await served.host.home.vault.put("hook", SECRET)
    more = {} if way == "none" else {"auth_token": "${vault:hook}"}
    await hook(served, authentication=way, **more)
    if bad is not None:
        answer = await served.post("/orders/new", **bad)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "HOOK_DENIED")
    assert (await served.post("/orders/new", **good)).status_code == 202
    assert len(await served.host.runs()) == 1
    assert SECRET not in json.dumps(await served.host.inputs())


@pytest.mark.exercises("TRIGGER.WEBHOOK.authentication=signature")
async def test_a_signed_request_counts_once_and_not_for_ever(served: Served) -> None:
    await served.host.home.vault.put("hook", SECRET)
    await hook(served, authentication="signature", auth_token="${vault:hook}")
    body, moment = b'{"order": 7}', stamp(served)
    signed = signature(moment.encode() + b"." + body)
    headers = {
        "x-signature": f"sha256={signed}",
        "x-timestamp": moment,
        "content-type": "application/json",
    }
    first = await served.post("/orders/new", content=body, headers=headers)
    again = await served.post("/orders/new", content=body, headers=headers)
    assert first.status_code == 202
    assert again.json()["run_id"] == first.json()["run_id"]
    assert (await served.post("/orders/new", content=body + b" ", headers=headers)).is_error
    await served.host.clock.advance(301)
    assert (await served.post("/orders/new", content=body, headers=headers)).status_code == 403
    assert len(await served.host.runs()) == 1


async def test_a_proof_without_its_secret_is_not_switched_on(served: Served) -> None:
    with pytest.raises(Invalid) as missing:
        await hook(served, authentication="header_token")
    assert [problem.code for problem in missing.value.problems] == ["HOOK_SECRET_MISSING"]
    with pytest.raises(NotFound) as unknown:
        await hook(served, authentication="header_token", auth_token="${vault:none}")
    assert unknown.value.code == "SECRET_NOT_FOUND"


async def test_twenty_deliveries_twenty_times_start_twenty_runs(served: Served) -> None:
    await hook(served)
    answers: dict[str, set[str]] = {}

    async def deliver(number: int) -> None:
        headers = {"idempotency-key": f"order-{number}"}
        answer = await served.post("/orders/new", json={"order": number}, headers=headers)
        assert answer.status_code == 202
        answers.setdefault(f"order-{number}", set()).add(answer.json()["run_id"])

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            for number in range(20):
                tasks.start_soon(deliver, number)
    assert len(await served.host.runs()) == 20
    assert [len(runs) for runs in answers.values()] == [1] * 20


async def test_deliveries_that_nobody_names_are_all_different(served: Served) -> None:
    await hook(served)
    for _ in range(3):
        await served.post("/orders/new", json={"order": 1})
    assert len(await served.host.runs()) == 3


async def test_a_caller_who_waits_gets_the_result(served: Served) -> None:
    await hook(served)
    headers = {"idempotency-key": "one"}
    first = await served.post("/orders/new", json={"order": 7}, headers=headers)
    await served.host.engine.advance(first.json()["run_id"])
    answer = await served.post("/orders/new?wait=10", json={"order": 7}, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["status"] == "success"
    assert answer.json()["result"]["body"] == {"order": 7}


async def test_a_caller_does_not_wait_longer_than_asked(served: Served) -> None:
    await hook(served)
    with anyio.fail_after(60):
        answer = await served.post("/orders/new?wait=1", json={})
    assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    for wrong in ("-1", "x", "1e9", "9999"):
        answer = await served.post("/orders/new", params={"wait": wrong})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "REQUEST_INVALID")


@pytest.mark.exercises("TRIGGER.WEBHOOK.response_format=json|text|html")
@pytest.mark.parametrize(
    ("form", "kind"),
    [("json", "application/json"), ("text", "text/plain"), ("html", "text/html")],
)
async def test_the_answer_has_the_form_that_was_chosen(
    served: Served, form: str, kind: str
) -> None:
    await hook(served, response_format=form)
    answer = await served.post("/orders/new")
    run = (await served.host.runs())[0]
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert run.id in answer.text


async def test_pages_of_other_origins_and_other_hosts_are_refused(served: Served) -> None:
    await hook(served)
    foreign = {"origin": "https://evil.example"}
    assert (await served.post("/orders/new", headers=foreign)).status_code == 403
    rebound = {"host": "evil.example"}
    assert (await served.post("/orders/new", headers=rebound)).status_code == 421
    large = await served.post("/orders/new", content=b"x" * (4 * 1024 * 1024 + 1))
    assert large.status_code == 413
    assert await served.host.runs() == []


async def test_each_address_has_a_rate_of_its_own(tmp_path: Path) -> None:
    async with serving(tmp_path / "home", burst=2) as served:
        await hook(served)
        await hook(served, "Other", webhook_path="/other")
        statuses = [(await served.post("/orders/new")).status_code for _ in range(3)]
        assert statuses == [202, 202, 429]
        assert (await served.post("/other")).status_code == 202
        statuses = [(await served.post(f"/nobody/{n}")).status_code for n in range(3)]
        assert statuses == [404, 404, 429]


async def github(served: Served, secret: str = SECRET, **more: str) -> httpx2.Response:
    body = json.dumps(
        {
            "ref": "refs/heads/main",
            "after": "c0ffee",
            "repository": {"full_name": "acme/shop"},
            "sender": {"login": "ada"},
        }
    ).encode()
    headers = {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-github-delivery": "d-1",
        "x-hub-signature-256": f"sha256={signature(body, secret)}",
        **more,
    }
    return await served.post("/github", content=body, headers=headers)


@pytest.mark.exercises("TRIGGER.GITHUB.webhook_secret")
async def test_an_event_of_github_starts_every_workflow_it_concerns_once(served: Served) -> None:
    await served.host.home.vault.put("gh", SECRET)
    for name, branches in (("Main", ["main"]), ("Any", []), ("Release", ["release/*"])):
        given: dict[str, Any] = {"repository": "acme/shop", "events": ["push"]}
        when = trigger("GITHUB", webhook_secret="${vault:gh}", branches=branches, **given)
        await served.host.enable(name, when, node("end"))
    answers = [await github(served) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202] * 3
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert sorted(run.workflow for run in await served.host.runs()) == ["Any", "Main"]
    assert (await github(served, "wrong")).status_code == 403
    ping = await github(served, **{"x-github-event": "ping", "x-github-delivery": "d-2"})
    assert (ping.status_code, ping.json()["status"]) == (200, "ignored")
    assert len(await served.host.runs()) == 2


async def slack(served: Served, body: dict[str, Any], **more: str) -> httpx2.Response:
    content, moment = json.dumps(body).encode(), stamp(served)
    headers = {
        "content-type": "application/json",
        "x-slack-request-timestamp": moment,
        "x-slack-signature": f"v0={signature(f'v0:{moment}:'.encode() + content)}",
        **more,
    }
    return await served.post("/slack", content=content, headers=headers)


@pytest.mark.exercises("TRIGGER.SLACK.bot_token")
async def test_slack_is_answered_its_challenge_and_its_retries_start_nothing(
    served: Served,
) -> None:
    given: dict[str, Any] = {"workspace_id": "T024BE7LD", "events": ["message"]}
    when = trigger("SLACK", bot_token="${vault:bot}", **given)
    await served.host.home.vault.put("bot", "xoxb-1")
    await served.host.store("Chat", when, node("end"))
    with pytest.raises(NotFound):  # nothing can be proven without the secret of the app
        await served.host.triggers.switches.enable("Chat")
    await served.host.home.vault.put("slack-signing-secret", SECRET)
    await served.host.triggers.switches.enable("Chat")
    challenge = await slack(served, {"type": "url_verification", "challenge": "abc"})
    assert (challenge.status_code, challenge.json()) == (200, {"challenge": "abc"})
    event = {
        "type": "event_callback",
        "team_id": "T024BE7LD",
        "event_id": "Ev1",
        "event": {"type": "message", "channel": "C1", "user": "U1", "text": "hi", "ts": "1.2"},
    }
    first = await slack(served, event)
    again = await slack(served, event, **{"x-slack-retry-num": "1"})
    assert (first.status_code, again.json()) == (202, first.json())
    forged = await slack(served, event, **{"x-slack-signature": "v0=00"})
    assert forged.status_code == 403
    assert [one["message_text"] for one in await served.host.inputs()] == ["hi"]


@pytest.mark.exercises("TRIGGER.EMAIL.email_provider=webhook")
async def test_a_posted_mail_starts_one_run(served: Served) -> None:
    await served.host.home.vault.put("mail", SECRET)
    when = trigger(
        "EMAIL",
        email_provider="webhook",
        server_config={"path": "/mail/in"},
        credentials={"secret": "${vault:mail}"},
        subject_keywords=["invoice"],
    )
    await served.host.enable("Mail", when, node("end"))
    mail = {"id": "m-1", "from": "ada@example.com", "to": "me@example.com", "text": "see there"}
    headers = {"authorization": f"Bearer {SECRET}"}
    for _ in range(2):
        answer = await served.post("/mail/in", json={**mail, "subject": "Invoice"}, headers=headers)
        assert answer.status_code == 202
    other = await served.post("/mail/in", json={**mail, "subject": "Hello"}, headers=headers)
    assert other.json()["status"] == "ignored"
    assert (await served.post("/mail/in", json=mail)).status_code == 403
    assert [one["sender"] for one in await served.host.inputs()] == ["ada@example.com"]
