"""GitHub's REST API: its actions as data, and how it says no."""

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import Json
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, delete, get, patch, post, put

_REPO = "/repos/{owner}/{repo}"
_ISSUE = _REPO + "/issues/{issue_number}"
_PULL = _REPO + "/pulls/{pr_number}"
_PAGE = "per_page page"
_NEW_REPO = (
    "name=repo! description=body homepage private visibility auto_init gitignore_template "
    "license_template has_issues has_projects has_wiki is_template"
)
_RELEASE = "target_commitish=ref name=title body draft prerelease"
_LISTING = f"state sort direction {_PAGE}"


def _failure(response: Response, value: Json) -> Failure | None:
    told = value if isinstance(value, dict) else {}
    words = [str(told["message"])] if told.get("message") else []
    errors = told.get("errors")
    for one in errors if isinstance(errors, list) else []:
        if isinstance(one, dict):
            parts = (one.get("resource"), one.get("field"), one.get("code"), one.get("message"))
            words.append(" ".join(str(part) for part in parts if part))
        else:
            words.append(str(one))
    return http_failure(response, "; ".join(words))


GITHUB = Service(
    kind="github",
    title="GitHub",
    address="https://api.github.com",
    failure=_failure,
    headers={
        "authorization": "Bearer {token}",
        "accept": "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
    },
    whoami=("GET", "/user"),
    who=("login", "name"),
    more_hosts=("uploads.github.com",),
)

ACTIONS: dict[str, Action] = {
    "create_repository": post("/user/repos", _NEW_REPO.replace("visibility ", "")),
    "update_repository": patch(
        _REPO,
        "name=new_name description=body homepage private visibility default_branch archived "
        "has_issues has_projects has_wiki is_template allow_squash_merge allow_merge_commit "
        "allow_rebase_merge delete_branch_on_merge",
    ),
    "delete_repository": delete(_REPO),
    "fork_repository": post(
        f"{_REPO}/forks", "organization=org name=fork_name default_branch_only"
    ),
    "list_repositories": get("/user/repos", f"type visibility affiliation sort direction {_PAGE}"),
    "create_issue": post(f"{_REPO}/issues", "title! body labels assignees milestone"),
    "update_issue": patch(_ISSUE, "title body labels assignees milestone state state_reason"),
    "close_issue": patch(_ISSUE, "state_reason", state="closed"),
    "reopen_issue": patch(_ISSUE, "state_reason", state="open"),
    "list_issues": get(
        f"{_REPO}/issues", f"labels=label_names assignee creator milestone since {_LISTING}"
    ),
    "add_issue_comment": post(f"{_ISSUE}/comments", "body=comment!"),
    "assign_issue": post(f"{_ISSUE}/assignees", "assignees!"),
    "add_issue_labels": post(f"{_ISSUE}/labels", "labels!"),
    "create_pull_request": post(
        f"{_REPO}/pulls", "title! head! base! body draft maintainer_can_modify"
    ),
    "update_pull_request": patch(_PULL, "title body base state maintainer_can_modify"),
    "merge_pull_request": Action(
        "PUT", f"{_PULL}/merge", "commit_title=title commit_message sha merge_method"
    ),
    "close_pull_request": patch(_PULL, state="closed"),
    "list_pull_requests": get(f"{_REPO}/pulls", f"head base {_LISTING}"),
    "request_pr_review": post(
        f"{_PULL}/requested_reviewers", "reviewers=assignees! team_reviewers"
    ),
    "approve_pr_review": post(f"{_PULL}/reviews", "body=comment", event="APPROVE"),
    "add_pr_comment": post(_REPO + "/issues/{pr_number}/comments", "body=comment!"),
    "create_file": Action(
        "PUT", _REPO + "/contents/{path*}", "message=commit_message! content=encoded! branch"
    ),
    "update_file": Action(
        "PUT", _REPO + "/contents/{path*}", "message=commit_message! content=encoded! sha branch"
    ),
    "delete_file": Action(
        "DELETE", _REPO + "/contents/{path*}", "message=commit_message! sha! branch"
    ),
    "get_file_content": get(_REPO + "/contents/{path*}", "ref"),
    "upload_release_asset": post(_REPO + "/releases/{release_id}/assets"),
    "create_release": post(f"{_REPO}/releases", f"tag_name! {_RELEASE} generate_release_notes"),
    "update_release": patch(_REPO + "/releases/{release_id}", f"tag_name {_RELEASE}"),
    "delete_release": delete(_REPO + "/releases/{release_id}"),
    "list_releases": get(f"{_REPO}/releases", _PAGE),
    "create_branch": post(f"{_REPO}/git/refs", "ref=new_ref! sha!"),
    "delete_branch": delete(_REPO + "/git/refs/heads/{branch*}"),
    "list_branches": get(f"{_REPO}/branches", f"protected {_PAGE}"),
    "protect_branch": put(_REPO + "/branches/{branch}/protection"),
    "trigger_workflow": post(
        _REPO + "/actions/workflows/{workflow_file}/dispatches", "ref! inputs"
    ),
    "list_workflow_runs": get(
        f"{_REPO}/actions/runs", f"actor branch event status created head_sha {_PAGE}"
    ),
    "cancel_workflow_run": post(_REPO + "/actions/runs/{run_id}/cancel"),
    "invite_user": put(_REPO + "/collaborators/{username}", "permission"),
    "add_team_member": put("/orgs/{org}/teams/{team}/memberships/{username}", "role"),
    "create_team": post(
        "/orgs/{org}/teams",
        "name=title! description=body maintainers=assignees repo_names privacy permission "
        "notification_setting parent_team_id",
    ),
    "create_webhook": post(f"{_REPO}/hooks", "config! events active", name="web"),
    "update_webhook": patch(
        _REPO + "/hooks/{hook_id}", "config events add_events remove_events active"
    ),
    "delete_webhook": delete(_REPO + "/hooks/{hook_id}"),
}

# Where another path is right because other fields are given.
ORG_REPO = post("/orgs/{org}/repos", _NEW_REPO)
ORG_REPOS = get("/orgs/{org}/repos", f"type sort direction {_PAGE}")
USER_REPOS = get("/users/{owner}/repos", f"type sort direction {_PAGE}")
ORG_MEMBER = put("/orgs/{org}/memberships/{username}", "role")
WORKFLOW_RUNS = get(
    _REPO + "/actions/workflows/{workflow_file}/runs",
    f"actor branch event status created head_sha {_PAGE}",
)
# What an action needs to know first.
COMMIT = get(_REPO + "/commits/{ref*}")
FILE = get(_REPO + "/contents/{path*}", "ref=branch")
RELEASE_BY_TAG = get(_REPO + "/releases/tags/{tag_name}")
