"""EXTERNAL_ACTION.GITHUB: work on repositories, issues, pull requests and releases."""

import base64

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._client import (
    ServiceClient,
    ServiceResponse,
    calling,
    metadata,
    waiting,
)
from toolweave.nodes.services._operation import Action, ServiceCall, build, effect_in, missing
from toolweave.nodes.services.github.api import (
    ACTIONS,
    COMMIT,
    FILE,
    GITHUB,
    ORG_MEMBER,
    ORG_REPO,
    ORG_REPOS,
    RELEASE_BY_TAG,
    USER_REPOS,
    WORKFLOW_RUNS,
)
from toolweave.nodes.services.github.values import people, protection, uploads_at, values_of

PER_PAGE = 100
MAX_PAGES = 10


class GitHubAction:
    """Calls one operation of the GitHub REST API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="GITHUB",
        summary="Create and change GitHub repositories, issues, pull requests, files and releases.",
        effect="once",
        configurations=(
            Field(
                "github_token",
                "string",
                "Personal or app token with rights for the action, as a vault reference.",
                required=True,
                sensitive=True,
            ),
            Field(
                "action_type",
                "string",
                "What to do on GitHub, e.g. create_issue.",
                "create_issue",
                required=True,
                options=tuple(ACTIONS),
            ),
            Field(
                "repository_config",
                "object",
                'Where: {"owner": "acme", "repo": "site"}. Also org, team, run_id, hook_id, '
                "hook_url, events where the action needs them.",
                required=True,
                members="{owner, repo, full_name, org, team, run_id: id, hook_id: id, hook_url, "
                "events: [string], …}",
            ),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=tuple(ACTIONS),
            ),
            Field(
                "owner", "string", "User or organisation; takes the place of the configured one."
            ),
            Field(
                "repo",
                "string",
                "Repository name without owner; for create_repository the new one.",
            ),
            Field("title", "string", "Title of the issue, pull request, release or team."),
            Field(
                "body",
                "string",
                "Markdown text of the issue, pull request or release, or a description.",
                multiline=True,
            ),
            Field("labels", "array", "Label names: [bug, ui].", items="string"),
            Field(
                "assignees",
                "array",
                "User names to assign, ask for review, invite or add: [octocat].",
                items="string",
            ),
            Field("issue_number", "integer", "Number of the issue, e.g. 42.", minimum=1),
            Field("pr_number", "integer", "Number of the pull request, e.g. 43.", minimum=1),
            Field("head", "string", "Branch with the changes: feature/login or fork:feature."),
            Field("base", "string", "Branch to merge into, e.g. main."),
            Field("path", "string", "File path in the repository: docs/index.md."),
            Field(
                "content", "string", "The file's text; binary content as base64.", multiline=True
            ),
            Field("branch", "string", "Branch to read, write, create, delete or protect.", "main"),
            Field("commit_message", "string", "Message of the commit that changes the file."),
            Field("tag_name", "string", "Tag of the release, e.g. v1.4.0."),
            Field("workflow_file", "string", "File of the Actions workflow: deploy.yml."),
            Field("ref", "string", "Branch, tag or commit to start from.", "main"),
            Field(
                "comment",
                "string",
                "Markdown comment on the issue, pull request or review.",
                multiline=True,
            ),
        ),
        outputs=(
            Field("success", "boolean", "Whether GitHub accepted the call."),
            Field("github_response", "object", "GitHub's answer; lists are under items."),
            Field("resource_id", "string", "Id or number of what was made or changed."),
            Field("resource_url", "string", "Web address of what was made or changed."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("rate_limit_info", "object", "Calls left: limit, remaining, reset."),
            Field("execution_metadata", "object", "The action done, time taken and attempts."),
        ),
        tags=("github", "git", "development", "issues"),
        keywords=terms(
            "github, repository, issue, ticket, pull request, merge, release, branch, commit, "
            "code, ci"
        ),
        guidance=(
            "Set repository_config once and give what changes from run to run as inputs. "
            "trigger_workflow needs workflow_file and ref; cancel_workflow_run needs "
            "repository_config.run_id; team actions need repository_config.org."
        ),
        examples=(
            Example(
                "File a bug",
                "Opens an issue with labels and an assignee.",
                {
                    "github_token": "${vault:github-token}",
                    "action_type": "create_issue",
                    "repository_config": {"owner": "acme", "repo": "shop"},
                },
                {
                    "title": "Basket is empty after login",
                    "body": "1. Put a book in the basket\n2. Log in\n\nThe basket is empty.",
                    "labels": ["bug", "checkout"],
                    "assignees": ["mlovelace"],
                },
            ),
            Example(
                "Propose a change",
                "Opens a pull request from a branch.",
                {
                    "github_token": "${vault:github-token}",
                    "action_type": "create_pull_request",
                    "repository_config": {"full_name": "acme/shop"},
                },
                {
                    "title": "Keep the basket through login",
                    "body": "Fixes #118.",
                    "head": "fix/basket-login",
                    "base": "main",
                },
            ),
            Example(
                "Publish a release",
                "Tags the main branch and writes the notes.",
                {
                    "github_token": "${vault:github-token}",
                    "action_type": "create_release",
                    "repository_config": {"owner": "acme", "repo": "shop"},
                },
                {"tag_name": "v2.3.0", "title": "2.3.0", "body": "Faster search.", "ref": "main"},
            ),
            Example(
                "Start a deployment",
                "Runs a workflow of GitHub Actions.",
                {
                    "github_token": "${vault:github-token}",
                    "action_type": "trigger_workflow",
                    "repository_config": {"owner": "acme", "repo": "infra"},
                },
                {"workflow_file": "deploy.yml", "ref": "main"},
            ),
            Example(
                "Update a page",
                "Writes a file in one commit; the action comes from the input.",
                {
                    "github_token": "${vault:github-token}",
                    "action_type": "get_file_content",
                    "repository_config": {"owner": "acme", "repo": "handbook"},
                },
                {
                    "action_type": "update_file",
                    "path": "docs/on-call.md",
                    "content": "# On call\n\nThis week: Ada.\n",
                    "branch": "main",
                    "commit_message": "Name this week's on-call person",
                },
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """Asking may be repeated, and what is the same when done twice."""
        # A comment that comes with it would be there twice.
        return "once" if config.get("comment") else effect_in(ACTIONS, config)

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the action."""
        caller = await calling(context, GITHUB, context.given.text("github_token"))
        return await waiting(context, caller, lambda: _done(context, caller))


async def _done(context: NodeContext, caller: ServiceClient) -> Outcome:
    name = context.given.text("action_type")
    answer = await _do(context, caller, name, values_of(context.given, name))
    told = answer.record
    number = told.get("number", told.get("id", told.get("sha")))
    content = told.get("content")
    if number is None and isinstance(content, dict):  # a file that was written
        number, told = content.get("sha"), {**content, **told}
    return Outcome(
        {
            "success": True,
            "github_response": answer.record,
            "resource_id": "" if number is None else str(number),
            "resource_url": told.get("html_url") or told.get("url") or "",
            "error_message": "",
            "rate_limit_info": caller.tally.limits,
            "execution_metadata": metadata(context, name, caller.tally),
        }
    )


async def _do(
    context: NodeContext, caller: ServiceClient, name: str, values: JsonObject
) -> ServiceResponse:
    action = _chosen(name, values)
    match name:
        case "update_file" | "delete_file" | "create_branch" | "update_release" | "delete_release":
            return await caller.do(name, action, values | await _found(caller, name, values))
        case "upload_release_asset":
            if not values.get("path") and values.get("content") is None:
                raise missing("path", name)
            return await _upload(context, caller, values | await _found(caller, name, values))
        case "protect_branch":
            call = build(name, action, values)
            return await caller.send(
                name, ServiceCall(call.method, call.path, body=protection(values))
            )
        case "invite_user" | "add_team_member":
            answers = [
                await caller.do(name, action, {**values, "username": one})
                for one in people(values, name)
            ]
            return (
                answers[-1]
                if len(answers) == 1
                else ServiceResponse([one.value for one in answers])
            )
        case "close_issue" | "reopen_issue" | "close_pull_request":
            return await _close(caller, name, action, values)
        case "create_pull_request":
            return await _propose(caller, action, values)
        case "get_file_content":
            return _readable(await caller.do(name, action, values))
        case _ if name.startswith("list_"):
            return await _listed(caller, name, action, values)
        case _:
            return await caller.do(name, action, values)


def _chosen(name: str, values: JsonObject) -> Action:
    """The action; another one of the same name where other fields are given."""
    match name:
        case "create_repository" if values.get("org"):
            return ORG_REPO
        case "list_repositories" if values.get("org"):
            return ORG_REPOS
        case "list_repositories" if values.get("owner"):
            return USER_REPOS
        case "list_workflow_runs" if values.get("workflow_file"):
            return WORKFLOW_RUNS
        case "invite_user" if not values.get("repo"):
            return ORG_MEMBER
        case _:
            return ACTIONS[name]


async def _found(caller: ServiceClient, name: str, values: JsonObject) -> JsonObject:
    """What GitHub wants to be told and knows itself: a file's sha, a release's id, a commit."""
    if name in {"update_file", "delete_file"}:
        if values.get("sha"):
            return {}
        build(name, ACTIONS[name], {**values, "sha": "?"})
        return {"sha": (await caller.do(name, FILE, values)).record.get("sha")}
    if name == "create_branch":
        build(name, ACTIONS[name], {**values, "sha": "?"})
        return {"sha": (await caller.do(name, COMMIT, values)).record.get("sha")}
    if values.get("release_id"):
        return {}
    build(name, ACTIONS[name], {**values, "release_id": "?"})
    return {"release_id": (await caller.do(name, RELEASE_BY_TAG, values)).record.get("id")}


async def _upload(
    context: NodeContext, caller: ServiceClient, values: JsonObject
) -> ServiceResponse:
    name = "upload_release_asset"
    given: JsonObject = {"filename": values.get("asset_name"), "content": values.get("content")}
    if given["content"] is None:
        given["path"] = values.get("path")
    elif not given["filename"]:
        given["filename"] = str(values.get("path") or "file.txt").rpartition("/")[2]
    part = await attached(context, given, "path")
    call = build(name, ACTIONS[name], values)
    label = values.get("label")
    query = [("name", part.filename), *([("label", str(label))] if label else [])]
    data = (part.data, part.media_type)
    place = uploads_at(caller.address)
    return await caller.send(name, ServiceCall("POST", call.path, tuple(query), raw=data, at=place))


async def _close(
    caller: ServiceClient, name: str, action: Action, values: JsonObject
) -> ServiceResponse:
    """Close or open again; a comment that says why comes first."""
    if values.get("comment"):
        about = "add_pr_comment" if name == "close_pull_request" else "add_issue_comment"
        await caller.do(about, ACTIONS[about], values)
    return await caller.do(name, action, values)


async def _propose(caller: ServiceClient, action: Action, values: JsonObject) -> ServiceResponse:
    """Open a pull request; labels and people are set by the issue of the same number."""
    answer = await caller.do("create_pull_request", action, values)
    of_issue = {**values, "issue_number": answer.record.get("number")}
    for name, field in (("add_issue_labels", "labels"), ("assign_issue", "assignees")):
        if values.get(field):
            await caller.do(name, ACTIONS[name], of_issue)
    return answer


async def _listed(
    caller: ServiceClient, name: str, action: Action, values: JsonObject
) -> ServiceResponse:
    """All pages, up to a bound; one page where the settings name it."""
    if values.get("page"):
        return await caller.do(name, action, {"per_page": PER_PAGE, **values})
    found: list[Json] = []
    shell: JsonObject | None = None
    answer = ServiceResponse(None)
    for page in range(1, MAX_PAGES + 1):
        answer = await caller.do(name, action, {"per_page": PER_PAGE, **values, "page": page})
        if isinstance(answer.value, dict):  # {"total_count": …, "workflow_runs": […]}
            shell = answer.value
        found += _items(answer.value)
        if 'rel="next"' not in answer.link:
            break
    if shell is None:
        return ServiceResponse(found, answer.status)
    key = next((key for key, one in shell.items() if isinstance(one, list)), "items")
    return ServiceResponse({**shell, key: found}, answer.status)


def _items(value: Json) -> list[Json]:
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
        return lists[0] if lists else []
    return value if isinstance(value, list) else []


def _readable(answer: ServiceResponse) -> ServiceResponse:
    """A file as GitHub gives it, with its text beside the base64 where it is text."""
    content = answer.record.get("content")
    if not isinstance(content, str) or answer.record.get("encoding") != "base64":
        return answer
    try:
        text = base64.b64decode(content).decode()
    except ValueError:
        return answer
    return ServiceResponse({**answer.record, "text": text}, answer.status)


node = GitHubAction()
