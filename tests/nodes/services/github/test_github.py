"""EXTERNAL_ACTION.GITHUB: each action's requests, and the handling of the answers."""

import base64
from pathlib import Path

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, TOKEN, bench

from toolweave.catalog.node import Wait
from toolweave.errors import Denied, Invalid, NotFound, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.github.action import node
from toolweave.nodes.services.github.api import ACTIONS
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

SHOP: JsonObject = {"owner": "acme", "repo": "shop"}
R = "/repos/acme/shop"
PAGE = "per_page=100&page=1"
NULLS: JsonObject = {
    "required_status_checks": None,
    "enforce_admins": True,
    "required_pull_request_reviews": None,
    "restrictions": None,
}


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# Of each action: what the repository_config holds, the inputs, the last request and its body.
CASES: list[tuple[str, JsonObject, JsonObject, str, Json]] = [
    (
        "create_repository",
        {"private": True, "auto_init": True},
        {"repo": "new", "body": "Text"},
        "POST /user/repos",
        {"name": "new", "description": "Text", "private": True, "auto_init": True},
    ),
    ("create_repository", {"org": "acme"}, {"repo": "new"}, "POST /orgs/acme/repos",
     {"name": "new"}),
    ("update_repository", {**SHOP, "archived": True, "new_name": "b"}, {"body": "D"}, f"PATCH {R}",
     {"name": "b", "description": "D", "archived": True}),
    ("delete_repository", SHOP, {}, f"DELETE {R}", None),
    ("fork_repository", {**SHOP, "org": "me", "fork_name": "f"}, {}, f"POST {R}/forks",
     {"organization": "me", "name": "f"}),
    ("list_repositories", {}, {}, f"GET /user/repos?{PAGE}", None),
    ("list_repositories", {"type": "public"}, {"owner": "ada"},
     f"GET /users/ada/repos?type=public&{PAGE}", None),
    ("list_repositories", {"org": "acme", "page": 3, "per_page": 5}, {},
     "GET /orgs/acme/repos?per_page=5&page=3", None),
    (
        "create_issue",
        {"full_name": "acme/shop", "milestone": 2},
        {"title": "T", "body": "B", "labels": ["bug"], "assignees": ["ada"]},
        f"POST {R}/issues",
        {"title": "T", "body": "B", "labels": ["bug"], "assignees": ["ada"], "milestone": 2},
    ),
    ("update_issue", {**SHOP, "state": "closed"}, {"issue_number": 4, "title": "T"},
     f"PATCH {R}/issues/4", {"title": "T", "state": "closed"}),
    ("close_issue", {**SHOP, "state_reason": "not_planned"}, {"issue_number": 4},
     f"PATCH {R}/issues/4", {"state_reason": "not_planned", "state": "closed"}),
    ("reopen_issue", SHOP, {"issue_number": 4}, f"PATCH {R}/issues/4", {"state": "open"}),
    ("list_issues", {**SHOP, "state": "all"}, {"labels": ["bug", "ui"], "assignees": ["ada"]},
     f"GET {R}/issues?labels=bug,ui&assignee=ada&state=all&{PAGE}", None),
    ("add_issue_comment", SHOP, {"issue_number": 4, "comment": "C"},
     f"POST {R}/issues/4/comments", {"body": "C"}),
    ("add_issue_comment", SHOP, {"issue_number": 4, "body": "B"},
     f"POST {R}/issues/4/comments", {"body": "B"}),
    ("assign_issue", SHOP, {"issue_number": 4, "assignees": ["ada"]},
     f"POST {R}/issues/4/assignees", {"assignees": ["ada"]}),
    ("add_issue_labels", SHOP, {"issue_number": 4, "labels": ["ui"]},
     f"POST {R}/issues/4/labels", {"labels": ["ui"]}),
    ("create_pull_request", {**SHOP, "draft": True},
     {"title": "T", "head": "fix", "base": "main", "body": "B"}, f"POST {R}/pulls",
     {"title": "T", "head": "fix", "base": "main", "body": "B", "draft": True}),
    ("update_pull_request", SHOP, {"pr_number": 7, "title": "T", "base": "dev"},
     f"PATCH {R}/pulls/7", {"title": "T", "base": "dev"}),
    ("merge_pull_request", {**SHOP, "merge_method": "squash"},
     {"pr_number": 7, "title": "T", "commit_message": "M"}, f"PUT {R}/pulls/7/merge",
     {"commit_title": "T", "commit_message": "M", "merge_method": "squash"}),
    ("close_pull_request", SHOP, {"pr_number": 7}, f"PATCH {R}/pulls/7", {"state": "closed"}),
    ("list_pull_requests", SHOP, {"head": "acme:fix", "base": "main"},
     f"GET {R}/pulls?head=acme:fix&base=main&{PAGE}", None),
    ("request_pr_review", {**SHOP, "team_reviewers": ["core"]},
     {"pr_number": 7, "assignees": ["ada"]}, f"POST {R}/pulls/7/requested_reviewers",
     {"reviewers": ["ada"], "team_reviewers": ["core"]}),
    ("approve_pr_review", SHOP, {"pr_number": 7, "comment": "Good"},
     f"POST {R}/pulls/7/reviews", {"body": "Good", "event": "APPROVE"}),
    ("add_pr_comment", SHOP, {"pr_number": 7, "comment": "C"},
     f"POST {R}/issues/7/comments", {"body": "C"}),
    ("create_file", SHOP, {"path": "docs/a b.md", "content": "Hi", "commit_message": "M"},
     f"PUT {R}/contents/docs/a%20b.md",
     {"message": "M", "content": b64("Hi"), "branch": "main"}),
    ("create_file", {**SHOP, "encoding": "base64"},
     {"path": "x", "content": "AAE=", "commit_message": "M", "branch": "dev"},
     f"PUT {R}/contents/x", {"message": "M", "content": "AAE=", "branch": "dev"}),
    ("update_file", SHOP, {"path": "a.md", "content": "Hi", "commit_message": "M"},
     f"PUT {R}/contents/a.md",
     {"message": "M", "content": b64("Hi"), "sha": "abc", "branch": "main"}),
    ("delete_file", {**SHOP, "sha": "def"}, {"path": "a.md", "commit_message": "M"},
     f"DELETE {R}/contents/a.md", {"message": "M", "sha": "def", "branch": "main"}),
    ("get_file_content", SHOP, {"path": "a.md"}, f"GET {R}/contents/a.md?ref=main", None),
    ("get_file_content", SHOP, {"path": "a.md", "ref": "v1"}, f"GET {R}/contents/a.md?ref=v1",
     None),
    ("create_release", {**SHOP, "draft": True}, {"tag_name": "v1", "title": "1", "body": "B"},
     f"POST {R}/releases",
     {"tag_name": "v1", "target_commitish": "main", "name": "1", "body": "B", "draft": True}),
    ("update_release", {**SHOP, "release_id": 9}, {"title": "2"}, f"PATCH {R}/releases/9",
     {"name": "2"}),
    ("delete_release", SHOP, {"tag_name": "v1"}, f"DELETE {R}/releases/31", None),
    ("list_releases", SHOP, {}, f"GET {R}/releases?{PAGE}", None),
    ("create_branch", SHOP, {"branch": "feature/x", "ref": "v1"}, f"POST {R}/git/refs",
     {"ref": "refs/heads/feature/x", "sha": "abc"}),
    ("delete_branch", SHOP, {"branch": "feature/x"}, f"DELETE {R}/git/refs/heads/feature/x", None),
    ("list_branches", {**SHOP, "protected": True}, {},
     f"GET {R}/branches?protected=true&{PAGE}", None),
    ("protect_branch", SHOP, {"branch": "main"}, f"PUT {R}/branches/main/protection", NULLS),
    ("protect_branch", {**SHOP, "protection": {"enforce_admins": False}}, {},
     f"PUT {R}/branches/main/protection", {**NULLS, "enforce_admins": False}),
    ("trigger_workflow", {**SHOP, "inputs": {"env": "prod"}}, {"workflow_file": "deploy.yml"},
     f"POST {R}/actions/workflows/deploy.yml/dispatches",
     {"ref": "main", "inputs": {"env": "prod"}}),
    ("list_workflow_runs", {**SHOP, "status": "failure"}, {},
     f"GET {R}/actions/runs?status=failure&{PAGE}", None),
    ("list_workflow_runs", SHOP, {"workflow_file": "ci.yml", "branch": "dev"},
     f"GET {R}/actions/workflows/ci.yml/runs?branch=dev&{PAGE}", None),
    ("cancel_workflow_run", {**SHOP, "run_id": 55}, {}, f"POST {R}/actions/runs/55/cancel", None),
    ("invite_user", {**SHOP, "permission": "push"}, {"assignees": ["ada"]},
     f"PUT {R}/collaborators/ada", {"permission": "push"}),
    ("invite_user", {"org": "acme", "role": "admin"}, {"assignees": ["ada"]},
     "PUT /orgs/acme/memberships/ada", {"role": "admin"}),
    ("add_team_member", {"org": "acme", "team": "core", "role": "maintainer"},
     {"assignees": ["ada"]}, "PUT /orgs/acme/teams/core/memberships/ada", {"role": "maintainer"}),
    ("create_team", {"org": "acme", "privacy": "closed"},
     {"title": "Core", "body": "D", "assignees": ["ada"]}, "POST /orgs/acme/teams",
     {"name": "Core", "description": "D", "maintainers": ["ada"], "privacy": "closed"}),
    ("create_webhook", {**SHOP, "hook_url": "https://x.example/h", "events": ["push"]}, {},
     f"POST {R}/hooks",
     {"config": {"url": "https://x.example/h", "content_type": "json"}, "events": ["push"],
      "name": "web"}),
    ("update_webhook", {**SHOP, "hook_id": 3, "active": False}, {}, f"PATCH {R}/hooks/3",
     {"active": False}),
    ("delete_webhook", {**SHOP, "hook_id": 3}, {}, f"DELETE {R}/hooks/3", None),
]  # fmt: skip
# What is asked first, and what a created thing looks like.
KNOWN = {
    f"GET {R}/contents/a.md": Told({"sha": "abc", "content": b64("Hi"), "encoding": "base64"}),
    f"GET {R}/commits/v1": Told({"sha": "abc"}),
    f"GET {R}/releases/tags/v1": Told({"id": 31}),
}
MADE = Told({"number": 12, "html_url": "https://github.com/acme/shop/issues/12"})


@pytest.mark.parametrize(
    ("action", "config", "inputs", "line", "body"), CASES, ids=[case[0] for case in CASES]
)
async def test_an_action_is_exactly_this_request(
    action: str, config: JsonObject, inputs: JsonObject, line: str, body: Json
) -> None:
    settings: JsonObject = {
        "action_type": action,
        "github_token": TOKEN,
        "repository_config": config,
    }
    async with bench(KNOWN, usual=MADE) as here:
        found = await here.result(node, settings, inputs)
        assert here.lines[-1] == line
        assert here.last == body
    headers = here.service.heard[-1].headers
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["user-agent"].startswith("toolweave/")
    assert found["success"] is True


def test_every_action_has_a_case() -> None:
    assert {case[0] for case in CASES} | {"upload_release_asset"} == set(ACTIONS)
    assert len(ACTIONS) == 43


async def act(
    action: str, inputs: JsonObject, script: dict[str, Told | list[Told]], **config: Json
) -> tuple[JsonObject, list[str], list[Json]]:
    settings: JsonObject = {
        "action_type": action,
        "github_token": TOKEN,
        "repository_config": {**SHOP, **config},
    }
    async with bench(script, usual=MADE) as here:
        found = await here.result(node, settings, inputs)
        return found, here.lines, [one.json for one in here.service.heard]


async def test_what_was_made_is_named_in_the_outputs() -> None:
    limits = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999"}
    script: dict[str, Told | list[Told]] = {
        f"POST {R}/issues": Told(MADE.value, 201, limits),
    }
    found, _, _ = await act("create_issue", {"title": "T"}, script)
    assert found["resource_id"] == "12"
    assert found["resource_url"] == "https://github.com/acme/shop/issues/12"
    assert found["rate_limit_info"] == {"limit": 5000, "remaining": 4999}
    details = found["execution_metadata"]
    assert isinstance(details, dict)
    assert {**details, "took_ms": 0} == {
        "action": "create_issue",
        "attempts": 1,
        "calls": 1,
        "took_ms": 0,
    }


async def test_lists_are_read_page_by_page_up_to_a_bound() -> None:
    more = Told([{"id": 1}], headers={"link": '<https://x>; rel="next"'})
    found, lines, _ = await act(
        "list_issues", {}, {f"GET {R}/issues": [more, more, Told([{"id": 3}])]}
    )
    assert found["github_response"] == {"items": [{"id": 1}, {"id": 1}, {"id": 3}]}
    assert lines[2].endswith("page=3")
    _, lines, _ = await act("list_issues", {}, {f"GET {R}/issues": more})
    assert len(lines) == 10


async def test_a_list_inside_an_object_keeps_its_name() -> None:
    more = {"link": '<https://x>; rel="next"'}
    pages = [
        Told({"total_count": 2, "workflow_runs": [{"id": 1}]}, headers=more),
        Told({"total_count": 2, "workflow_runs": [{"id": 2}]}),
    ]
    found, _, _ = await act("list_workflow_runs", {}, {f"GET {R}/actions/runs": pages})
    assert found["github_response"] == {"total_count": 2, "workflow_runs": [{"id": 1}, {"id": 2}]}


async def test_labels_and_people_of_a_pull_request_are_set_after_it_is_open() -> None:
    inputs: JsonObject = {
        "title": "T",
        "head": "fix",
        "base": "main",
        "labels": ["ui"],
        "assignees": ["ada"],
    }
    _, lines, bodies = await act("create_pull_request", inputs, {})
    assert lines[1:] == [f"POST {R}/issues/12/labels", f"POST {R}/issues/12/assignees"]
    assert bodies[1:] == [{"labels": ["ui"]}, {"assignees": ["ada"]}]


async def test_a_comment_says_why_before_an_issue_is_closed() -> None:
    _, lines, bodies = await act("close_issue", {"issue_number": 4, "comment": "Done"}, {})
    assert lines == [f"POST {R}/issues/4/comments", f"PATCH {R}/issues/4"]
    assert bodies == [{"body": "Done"}, {"state": "closed"}]
    assert node.effect_of({"action_type": "close_issue"}) == "keyed"
    assert node.effect_of({"action_type": "close_issue", "comment": "Done"}) == "once"


async def test_several_people_are_invited_one_by_one() -> None:
    _, lines, _ = await act("invite_user", {"assignees": ["ada", "grace"]}, {})
    assert lines == [f"PUT {R}/collaborators/ada", f"PUT {R}/collaborators/grace"]


async def test_a_file_is_given_as_text_too() -> None:
    found, _, _ = await act("get_file_content", {"path": "a.md"}, dict(KNOWN))
    assert isinstance(found["github_response"], dict)
    assert found["github_response"]["text"] == "Hi"


async def test_a_release_gets_a_file_of_the_workflows_folder(tmp_path: Path) -> None:
    (tmp_path / "tool.whl").write_bytes(b"\x00\x01")
    config: JsonObject = {
        "action_type": "upload_release_asset",
        "github_token": TOKEN,
        "repository_config": {**SHOP, "label": "Wheel"},
    }
    async with bench(KNOWN, usual=MADE, folder=tmp_path) as here:
        await here.result(node, config, {"tag_name": "v1", "path": "tool.whl"})
        assert here.lines[-1] == f"POST {R}/releases/31/assets?name=tool.whl&label=Wheel"
        assert here.service.heard[-1].body == b"\x00\x01"
        await here.result(node, config, {"tag_name": "v1", "path": "n/a.txt", "content": "Hi"})
        assert here.lines[-1] == f"POST {R}/releases/31/assets?name=a.txt&label=Wheel"
        assert here.service.heard[-1].headers["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("action", "config", "inputs", "code"),
    [
        ("create_issue", SHOP, {}, "SERVICE_FIELD_MISSING"),
        ("create_issue", {"owner": "acme"}, {"title": "T"}, "SERVICE_FIELD_MISSING"),
        ("delete_branch", SHOP, {}, "SERVICE_FIELD_MISSING"),
        ("create_branch", SHOP, {}, "SERVICE_FIELD_MISSING"),
        ("invite_user", SHOP, {}, "SERVICE_FIELD_MISSING"),
        ("upload_release_asset", {**SHOP, "release_id": 1}, {}, "SERVICE_FIELD_MISSING"),
        ("create_webhook", SHOP, {}, "SERVICE_FIELD_MISSING"),
        ("create_issue", {"owner": "..", "repo": "x"}, {"title": "T"}, "SERVICE_FIELD_INVALID"),
        ("get_file_content", SHOP, {"path": "a/../../b"}, "SERVICE_FIELD_INVALID"),
        ("create_webhook", {**SHOP, "hook_url": "x", "hook_secret": "${vault:s}"}, {},
         "SERVICE_FIELD_INVALID"),
        ("create_file", {**SHOP, "encoding": "base64"},
         {"path": "a", "content": "é", "commit_message": "M"}, "SERVICE_FIELD_INVALID"),
    ],
)  # fmt: skip
async def test_what_cannot_be_sent_is_refused_before_anything_is(
    action: str, config: JsonObject, inputs: JsonObject, code: str
) -> None:
    settings: JsonObject = {
        "action_type": action,
        "github_token": TOKEN,
        "repository_config": config,
    }
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, settings, inputs)
        assert here.lines == []
    assert code_of(caught) == code


@pytest.mark.parametrize(
    ("told", "kind", "code", "words"),
    [
        (Told({"message": "Bad credentials"}, 401), Denied, "SERVICE_CREDENTIAL_REFUSED",
         "Bad credentials"),
        (Told({"message": "Resource not accessible"}, 403), Denied, "SERVICE_DENIED", "accessible"),
        (Told({"message": "Not Found"}, 404), NotFound, "SERVICE_NOT_FOUND", "Not Found"),
        (Told({"message": "Validation Failed", "errors": [{"field": "title", "code": "missing"}]},
              422), Invalid, "SERVICE_REFUSED", "title missing"),
        (Told({"message": "Oops", "errors": ["plain"]}, 500), Unavailable, "SERVICE_UNAVAILABLE",
         "plain"),
    ],
)  # fmt: skip
async def test_a_refusal_is_a_failure_in_githubs_own_words(
    told: Told, kind: type[ToolweaveError], code: str, words: str
) -> None:
    config: JsonObject = {
        "action_type": "create_issue",
        "github_token": TOKEN,
        "repository_config": SHOP,
    }
    async with bench(usual=told) as here:
        with pytest.raises(kind) as caught:
            await here.act(node, config, {"title": "T"})
    assert code_of(caught) == code
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"retry-after": "7"}, 7),
        (403, {"retry-after": "9"}, 9),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000060",
               "date": "Sun, 09 Sep 2001 01:46:40 GMT"}, 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000060"}, 5),
    ],
)  # fmt: skip
async def test_a_limit_is_waited_for_as_long_as_the_headers_say(
    status: int, headers: dict[str, str], seconds: int
) -> None:
    config: JsonObject = {
        "action_type": "list_issues",
        "github_token": TOKEN,
        "repository_config": SHOP,
    }
    async with bench(usual=Told({"message": "rate limit"}, status, headers)) as here:
        wait = await here.act(node, config)
        assert isinstance(wait, Wait)
        assert wait.until is not None
        assert (wait.until - here.clock.now()).total_seconds() == seconds
