"""TRIGGER.GITHUB: start when something happens in a repository."""

from toolweave.catalog.spec import Example, Field, NodeSpec

EVENTS = (
    "push",
    "pull_request",
    "issues",
    "issue_comment",
    "pull_request_review",
    "release",
    "workflow_run",
    "repository",
    "star",
    "watch",
    "fork",
)


class GitHub:
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


node = GitHub()
