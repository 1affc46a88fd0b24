"""Which deliveries start a run: the filters of every trigger, setting by setting."""

import json
from typing import Any

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.github import trigger as github
from toolweave.nodes.services.mail import trigger as email
from toolweave.nodes.services.mail.incoming import posted_mail, read_mail
from toolweave.nodes.services.slack import trigger as slack
from toolweave.nodes.trigger import webhook, workflow_failed
from toolweave.nodes.trigger._delivery import Accepted, Delivery, Refused

NOW = "2026-03-02T09:30:00.000Z"

PULL: JsonObject = {"base": {"ref": "main"}, "head": {"sha": "abc", "ref": "topic"}}
PAYLOADS: dict[str, JsonObject] = {
    "push": {"ref": "refs/heads/main", "after": "abc"},
    "pull_request": {"action": "opened", "pull_request": PULL},
    "issues": {"action": "opened"},
    "issue_comment": {"action": "created", "comment": {"body": "please /deploy now"}},
    "pull_request_review": {"pull_request": PULL, "review": {"body": "fine"}},
    "release": {"action": "published", "release": {"target_commitish": "main"}},
    "workflow_run": {"workflow_run": {"head_branch": "main", "head_sha": "abc"}},
    "repository": {"action": "renamed"},
    "star": {"action": "created"},
    "watch": {"action": "started"},
    "fork": {},
}


def of_github(event: str, payload: JsonObject | None = None, **config: Any) -> Accepted:
    whole: JsonObject = {
        **(PAYLOADS[event] if payload is None else payload),
        "repository": {"full_name": "acme/shop"},
        "sender": {"login": "ada"},
    }
    given: JsonObject = {"repository": "Acme/Shop", "events": [event], "include_payload": True}
    delivery = Delivery(headers={"x-github-event": event}, body=whole, received_at=NOW)
    return github.accepts(given | config, delivery)


@pytest.mark.exercises(
    "TRIGGER.GITHUB.events=push|pull_request|issues|issue_comment|pull_request_review|release|workflow_run|repository|star|watch|fork"
)
@pytest.mark.parametrize("event", github.EVENTS)
def test_each_event_of_github_gives_all_outputs_of_the_spec(event: str) -> None:
    outputs = of_github(event)
    assert isinstance(outputs, dict)
    assert outputs.keys() == {output.name for output in github.node.spec.outputs}
    assert (outputs["event_type"], outputs["sender"]) == (event, "ada")
    has_commit = event in {"push", "pull_request", "pull_request_review", "workflow_run"}
    assert outputs["commit_sha"] == ("abc" if has_commit else "")
    assert outputs["branch"] == ("main" if has_commit or event == "release" else "")


@pytest.mark.exercises(
    "TRIGGER.GITHUB.repository", "TRIGGER.GITHUB.branches", "TRIGGER.GITHUB.filter_conditions"
)
@pytest.mark.parametrize(
    ("event", "config", "is_taken"),
    [
        ("push", {"branches": ["main"]}, True),
        ("push", {"branches": ["ma*"]}, True),
        ("push", {"branches": ["other"]}, False),
        ("star", {"branches": ["other"]}, True),
        ("push", {"events": ["star"]}, False),
        ("push", {"repository": "acme/other"}, False),
        ("issues", {"filter_conditions": {"action": ["opened", "closed"]}}, True),
        ("issues", {"filter_conditions": {"action": "closed"}}, False),
        ("issues", {"filter_conditions": {"sender.login": ["ada"]}}, True),
        ("issues", {"filter_conditions": {"no.such.path": ["ada"]}}, False),
        ("issue_comment", {"filter_conditions": {"comment_contains": ["/Deploy"]}}, True),
        ("issue_comment", {"filter_conditions": {"comment_contains": ["/other"]}}, False),
        ("pull_request_review", {"filter_conditions": {"comment_contains": ["fine"]}}, True),
    ],
)
def test_the_filters_of_github(event: str, config: dict[str, Any], is_taken: bool) -> None:
    assert isinstance(of_github(event, **config), dict) == is_taken


def test_a_pushed_tag_is_of_no_branch() -> None:
    tag: JsonObject = {"ref": "refs/tags/main", "after": "abc"}
    assert isinstance(of_github("push", tag, branches=["main"]), Refused)
    assert isinstance(of_github("push", tag), dict)


@pytest.mark.exercises("TRIGGER.GITHUB.include_payload")
def test_githubs_payload_is_left_out_if_it_is_not_wanted_and_found_in_a_form() -> None:
    without = of_github("push", include_payload=False)
    assert isinstance(without, dict)
    assert without["github_payload"] == {}
    body: JsonObject = {"payload": json.dumps({"repository": {"full_name": "acme/shop"}})}
    given: JsonObject = {"repository": "acme/shop", "events": ["star"]}
    taken = github.accepts(given, Delivery(headers={"x-github-event": "star"}, body=body))
    assert isinstance(taken, dict)
    broken = Delivery(headers={"x-github-event": "star"}, body={"payload": "{"})
    assert isinstance(github.accepts(given, broken), Refused)


def of_slack(event: JsonObject, **config: Any) -> Accepted:
    body: JsonObject = {"team_id": "T1", "event_id": "Ev1", "event": event}
    given = {"workspace_id": "T1", "events": [event["type"]], **config}
    return slack.accepts(given, Delivery(body=body, received_at=NOW))


SLACK_EVENTS: dict[str, JsonObject] = {
    "message": {"channel": "C1", "user": "U1", "text": "an Outage!", "ts": "1.2"},
    "app_mention": {"channel": "C1", "user": "U1", "text": "hi", "ts": "1.2", "thread_ts": "1.0"},
    "reaction_added": {"user": "U1", "item": {"type": "message", "channel": "C1", "ts": "1.2"}},
    "reaction_removed": {"user": "U1", "item": {"type": "message", "channel": "C1"}},
    "channel_created": {"channel": {"id": "C1", "name": "news", "creator": "U1"}},
    "channel_deleted": {"channel": "C1"},
    "member_joined_channel": {"channel": "C1", "user": "U1"},
    "member_left_channel": {"channel": "C1", "user": "U1"},
    "user_change": {"user": {"id": "U1", "name": "ada"}},
    "team_join": {"user": {"id": "U1", "name": "ada"}},
    "file_shared": {"channel_id": "C1", "user_id": "U1", "file_id": "F1"},
}


@pytest.mark.exercises(
    "TRIGGER.SLACK.events=message|app_mention|reaction_added|reaction_removed|channel_created|channel_deleted|member_joined_channel|member_left_channel|user_change|team_join|file_shared"
)
@pytest.mark.parametrize("event", slack.EVENTS)
def test_each_event_of_slack_gives_all_outputs_but_the_runs_id(event: str) -> None:
    outputs = of_slack({"type": event, **SLACK_EVENTS[event]})
    assert isinstance(outputs, dict)
    named = {output.name for output in slack.node.spec.outputs}
    assert outputs.keys() == named - {"execution_id"}
    has_channel = event not in {"user_change", "team_join"}
    assert outputs["channel_id"] == ("C1" if has_channel else "")
    assert outputs["user_id"] == ("" if event.startswith("channel") else "U1")
    assert outputs["thread_ts"] == {"message": "1.2", "app_mention": "1.0"}.get(event, "")


@pytest.mark.exercises(
    "TRIGGER.SLACK.workspace_id", "TRIGGER.SLACK.channels", "TRIGGER.SLACK.keywords"
)
@pytest.mark.parametrize(
    ("config", "more", "is_taken"),
    [
        ({"channels": ["C1"]}, {}, True),
        ({"channels": ["C2", "#news"]}, {}, False),
        ({"keywords": ["outage"]}, {}, True),
        ({"keywords": ["calm"]}, {}, False),
        ({"events": ["reaction_added"]}, {}, False),
        ({"workspace_id": "T2"}, {}, False),
        ({}, {"bot_id": "B1"}, False),
        ({}, {"subtype": "message_changed"}, False),
        ({}, {"subtype": "thread_broadcast"}, True),
    ],
)
def test_the_filters_of_slack(config: dict[str, Any], more: JsonObject, is_taken: bool) -> None:
    event: JsonObject = {"type": "message", **SLACK_EVENTS["message"], **more}
    assert isinstance(of_slack(event, **config), dict) == is_taken


def test_a_channel_counts_by_its_name_where_slack_tells_it() -> None:
    event: JsonObject = {"type": "channel_created", **SLACK_EVENTS["channel_created"]}
    assert isinstance(of_slack(event, channels=["#news"]), dict)
    assert isinstance(slack.accepts({"workspace_id": "T1"}, Delivery(body={})), Refused)


MAIL: JsonObject = {
    "email_id": "1",
    "sender": "ada@example.com",
    "recipient": "me@example.com",
    "subject": "Invoice of May",
    "body_text": "see the file",
    "body_html": "",
    "attachments": [
        {"filename": "a.PDF", "size": 10, "content_type": "application/pdf", "content": ""},
        {"filename": "b.exe", "size": 10, "content_type": "x", "content": ""},
        {"filename": "c.pdf", "size": 9000, "content_type": "application/pdf", "content": ""},
    ],
    "received_date": NOW,
    "email_headers": {},
}


@pytest.mark.exercises(
    "TRIGGER.EMAIL.filter_criteria",
    "TRIGGER.EMAIL.subject_keywords",
    "TRIGGER.EMAIL.sender_whitelist",
)
@pytest.mark.parametrize(
    ("config", "is_taken"),
    [
        ({"filter_criteria": {}, "subject_keywords": [], "sender_whitelist": []}, True),
        ({"subject_keywords": ["invoice", "order"]}, True),
        ({"subject_keywords": ["order"]}, False),
        ({"sender_whitelist": ["ADA@example.com"]}, True),
        ({"sender_whitelist": ["@example.com"]}, True),
        ({"sender_whitelist": ["example.com"]}, True),
        ({"sender_whitelist": ["@ample.com"]}, False),
        ({"sender_whitelist": ["bob@example.com"]}, False),
        ({"filter_criteria": {"body_contains": "file", "subject_contains": ["may"]}}, True),
        ({"filter_criteria": {"body_contains": "nothing"}}, False),
        ({"filter_criteria": {"from_contains": "ada"}}, True),
        ({"filter_criteria": {"has_attachment": True}}, True),
        ({"filter_criteria": {"has_attachment": False}}, False),
        ({"filter_criteria": {"moon": "full"}}, False),
    ],
)
def test_the_filters_of_mail(config: dict[str, Any], is_taken: bool) -> None:
    assert isinstance(email.accepts_mail(config, MAIL, NOW), dict) == is_taken


@pytest.mark.exercises(
    "TRIGGER.EMAIL.process_attachments",
    "TRIGGER.EMAIL.attachment_types",
    "TRIGGER.EMAIL.max_attachment_size",
)
@pytest.mark.parametrize(
    ("config", "kept"),
    [
        ({"attachment_types": ["pdf"], "max_attachment_size": 2048}, ["a.PDF"]),
        ({"attachment_types": [".pdf", "exe"], "max_attachment_size": 10_000},
         ["a.PDF", "b.exe", "c.pdf"]),
        ({"attachment_types": ["pdf"], "process_attachments": False}, []),
    ],
)  # fmt: skip
def test_only_attachments_that_count_are_kept(config: dict[str, Any], kept: list[str]) -> None:
    outputs = email.accepts_mail(config, MAIL, NOW)
    assert isinstance(outputs, dict)
    listed = outputs["attachments"]
    assert isinstance(listed, list)
    assert [one["filename"] for one in listed if isinstance(one, dict)] == kept


def test_a_mail_with_bad_parts_is_still_read() -> None:
    raw = (
        b"From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>\r\nTo: a@x.org, b@x.org\r\n"
        b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: never\r\n"
        b"Content-Type: text/html; charset=klingon\r\n\r\n<b>hi</b>"
    )
    read = read_mail(raw)
    assert (read["sender"], read["recipient"]) == ("j@example.com", "a@x.org, b@x.org")
    assert (read["subject"], read["received_date"]) == ("Grüße", "")
    assert (read["body_text"], read["body_html"]) == ("", "<b>hi</b>")


def test_a_posted_mail_may_be_raw_or_in_fields() -> None:
    raw = "From: a@example.com\r\nSubject: S\r\n\r\ntext"
    encoded = "RnJvbTogYUBleGFtcGxlLmNvbQ0KU3ViamVjdDogUw0KDQp0"
    bodies: list[Json] = [raw, {"raw": raw}, {"email": encoded}]
    for body in bodies:
        found = posted_mail(body)
        assert found is not None
        assert (found["sender"], found["subject"]) == ("a@example.com", "S")
    assert posted_mail({"from": "a@example.com", "html": "x"}) is not None
    empty: list[Json] = [None, [1], {"subject": "from nobody"}]
    for body in empty:
        assert posted_mail(body) is None


def test_a_webhook_refuses_other_methods() -> None:
    assert isinstance(webhook.accepts({"allowed_methods": ["PUT"]}, Delivery()), Refused)
    taken = webhook.accepts({"allowed_methods": ["POST"]}, Delivery())
    assert isinstance(taken, dict)
    assert taken.keys() == {output.name for output in webhook.node.spec.outputs}


FAILED: JsonObject = {
    "workflow": "Import",
    "failed_run_id": "r-1",
    "status": "failed",
    "error": {"code": "TOOL_TIMEOUT", "message": "too late"},
    "started_at": NOW,
    "finished_at": NOW,
    "trigger": "cron",
}
WATCHING: JsonObject = {"workflows": [], "statuses": ["failed", "partial"], "error_codes": []}


@pytest.mark.exercises(
    "TRIGGER.WORKFLOW_FAILED.workflows",
    "TRIGGER.WORKFLOW_FAILED.statuses=failed|partial|cancelled",
    "TRIGGER.WORKFLOW_FAILED.error_codes",
)
@pytest.mark.parametrize(
    ("config", "more", "is_taken"),
    [
        ({}, {}, True),
        ({"workflows": ["Import"]}, {}, True),
        ({"workflows": ["Other"]}, {}, False),
        ({}, {"status": "partial"}, True),
        ({}, {"status": "cancelled"}, False),
        ({"statuses": ["cancelled"]}, {"status": "cancelled"}, True),
        ({"error_codes": ["TOOL_TIMEOUT"]}, {}, True),
        ({"error_codes": ["OTHER"]}, {}, False),
        ({}, {"workflow": "Alarm"}, False),
        ({}, {"trigger": "workflow_failed"}, False),
    ],
)
def test_the_filters_of_failures(config: JsonObject, more: JsonObject, is_taken: bool) -> None:
    found = workflow_failed.accepts(WATCHING | config, FAILED | more, own="Alarm")
    assert isinstance(found, dict) == is_taken
