"""What the GitHub node does for each of its operations."""

import base64

from toolweave.catalog.node import NodeContext
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._client import (
    ServiceClient,
    ServiceResponse,
)
from toolweave.nodes.services._operation import Action, ServiceCall, build, missing
from toolweave.nodes.services.github.api import (
    ACTIONS,
    COMMIT,
    FILE,
    ORG_MEMBER,
    ORG_REPO,
    ORG_REPOS,
    RELEASE_BY_TAG,
    USER_REPOS,
    WORKFLOW_RUNS,
)
from toolweave.nodes.services.github.values import people, protection, uploads_at

PER_PAGE = 100
MAX_PAGES = 10


async def perform(
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
