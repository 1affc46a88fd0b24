"""EXTERNAL_ACTION.GITHUB: work on repositories, issues, pull requests and releases."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.json_text import JsonObject
from toolweave.nodes.services._client import (
    ServiceClient,
    calling,
    metadata,
    waiting,
)
from toolweave.nodes.services._operation import effect_in
from toolweave.nodes.services.github.api import (
    ACTIONS,
    GITHUB,
)
from toolweave.nodes.services.github.operations import perform
from toolweave.nodes.services.github.values import values_of


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
    answer = await perform(context, caller, name, values_of(context.given, name))
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


node = GitHubAction()
