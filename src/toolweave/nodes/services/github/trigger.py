"""TRIGGER.GITHUB: start when something happens in a repository."""

from fnmatch import fnmatchcase

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.trigger._delivery import (
    Accepted,
    Delivery,
    Refused,
    at,
    holds_one,
    payload_of,
    text_at,
    texts,
)
from toolweave.nodes.trigger._outputs import started

EVENTS = terms(
    "push, pull_request, issues, issue_comment, pull_request_review, release, workflow_run, "
    "repository, star, watch, fork"
)


class GitHubTrigger:
    """Starts a run for each event of a repository that passes the filters."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="GITHUB",
        summary="Start the workflow on events of a GitHub repository, such as pushes and issues.",
        effect="keyed",
        configurations=(
            Field(
                "repository",
                "string",
                "Owner and name of the repository: octocat/hello-world.",
                required=True,
                pattern=r"^[\w.-]+/[\w.-]+$",
            ),
            Field(
                "events",
                "array",
                "Events that start a run, by their webhook names.",
                ["push", "pull_request"],
                required=True,
                options=EVENTS,
                items="string",
            ),
            Field(
                "branches",
                "array",
                "Branches that count: [main, release/2]; empty means all.",
                [],
                items="string",
            ),
            Field(
                "webhook_secret",
                "string",
                "Secret GitHub signs its requests with, as a vault reference.",
                sensitive=True,
            ),
            Field(
                "filter_conditions",
                "object",
                "Payload paths and the values they may have: "
                '{"action": ["opened"]}; `comment_contains` looks into the comment text.',
                {},
            ),
            Field("include_payload", "boolean", "Whether github_payload is filled.", True),
        ),
        outputs=(
            Field("trigger_time", "string", "When the event arrived: 2026-03-02T09:30:00Z."),
            Field("event_type", "string", "Which event it was.", options=EVENTS),
            Field("repository", "string", "Owner and name of the repository."),
            Field("sender", "string", "Login of who caused it."),
            Field("branch", "string", "Branch it concerns; empty when it concerns none."),
            Field("commit_sha", "string", "Commit it concerns; empty when it concerns none."),
            Field("trigger_message", "string", "One line that says what started the run."),
            Field("github_payload", "object", "GitHub's whole payload, if include_payload is on."),
        ),
        input_ports=(),
        tags=("trigger", "github", "git", "webhook"),
        keywords=(
            *("github", "repository", "push", "commit", "pull request", "merge"),
            *("issue", "release", "star", "ci", "code"),
        ),
        examples=(
            Example(
                "Push to main",
                "Each push to the main branch.",
                {
                    "repository": "acme/shop",
                    "events": ["push"],
                    "branches": ["main"],
                    "webhook_secret": "${vault:github-webhook-secret}",
                },
            ),
            Example(
                "New pull request",
                "Pull requests that are opened or get new commits.",
                {
                    "repository": "acme/shop",
                    "events": ["pull_request"],
                    "webhook_secret": "${vault:github-webhook-secret}",
                    "filter_conditions": {"action": ["opened", "synchronize"]},
                },
            ),
            Example(
                "Release is out",
                "Published releases only, without the payload.",
                {
                    "repository": "acme/shop",
                    "events": ["release"],
                    "filter_conditions": {"action": ["published"]},
                    "include_payload": False,
                },
            ),
            Example(
                "Deploy on command",
                "A new comment that says /deploy.",
                {
                    "repository": "acme/shop",
                    "events": ["issue_comment"],
                    "webhook_secret": "${vault:github-webhook-secret}",
                    "filter_conditions": {
                        "action": ["created"],
                        "comment_contains": ["/deploy"],
                    },
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The event."""
        known: JsonObject = {
            "repository": given.text("repository"),
            "trigger_message": f"Started by hand for {given.text('repository')}",
        }
        return Outcome(started(self.spec, given, known))


# Where the branch and the commit of an event stand in its payload.
_BRANCH = {
    "pull_request": "pull_request.base.ref",
    "pull_request_review": "pull_request.base.ref",
    "workflow_run": "workflow_run.head_branch",
    "release": "release.target_commitish",
}
_COMMIT = {
    "push": "after",
    "pull_request": "pull_request.head.sha",
    "pull_request_review": "pull_request.head.sha",
    "workflow_run": "workflow_run.head_sha",
}
_COMMENT = "comment_contains"
_HEADS = "refs/heads/"


def accepts(config: JsonObject, delivery: Delivery) -> Accepted:
    """The outputs for an event of the repository that passes all filters."""
    event, payload = delivery.headers.get("x-github-event", ""), payload_of(delivery)
    repository, sender = text_at(payload, "repository.full_name"), text_at(payload, "sender.login")
    branch = _branch(event, payload)
    if (reason := _refusal(config, event, repository, branch, payload)) is not None:
        return Refused(reason)
    return {
        "trigger_time": delivery.received_at,
        "event_type": event,
        "repository": repository,
        "sender": sender,
        "branch": branch or "",
        "commit_sha": text_at(payload, _COMMIT[event]) if event in _COMMIT else "",
        "trigger_message": f"{event} in {repository} by {sender}",
        "github_payload": payload if config.get("include_payload") is not False else {},
    }


def _refusal(
    config: JsonObject, event: str, repository: str, branch: str | None, payload: JsonObject
) -> str | None:
    if repository.casefold() != str(config.get("repository")).casefold():
        return f"it is about repository {repository!r}"
    if event not in texts(config.get("events")):
        return f"event {event!r} is not among the events"
    branches = texts(config.get("branches"))
    # An event that concerns no branch, such as a star, is not held up by the list.
    if (
        branches
        and branch is not None
        and not any(fnmatchcase(branch, wanted) for wanted in branches)
    ):
        return f"branch {branch!r} is not among the branches"
    conditions = config.get("filter_conditions")
    for path, wanted in conditions.items() if isinstance(conditions, dict) else ():
        if not _holds(payload, path, wanted):
            return f"the condition {path!r} does not hold"
    return None


def _holds(payload: JsonObject, path: str, wanted: Json) -> bool:
    allowed: list[Json] = wanted if isinstance(wanted, list) else [wanted]
    if path != _COMMENT:
        return at(payload, path) in allowed
    comment = text_at(payload, "comment.body") or text_at(payload, "review.body")
    return holds_one(comment, texts(allowed))


def _branch(event: str, payload: JsonObject) -> str | None:
    """The branch of an event; nothing for events that concern none, empty for a pushed tag."""
    if event == "push":
        ref = text_at(payload, "ref")
        return ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ""
    return text_at(payload, _BRANCH[event]) if event in _BRANCH else None


node = GitHubTrigger()
