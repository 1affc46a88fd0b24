"""Secrets in workflows: told where they stand, never shown, and never by mistake."""

import pytest
from tests.workflow.checks.values_building import UNDER_TEST, catalog_node, found, plain_node

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.secrets import check

# Made up, and put together here so that no scanner takes them for real ones.
GITHUB_KEY = "ghp_" + "a1B2c3D4" * 4
SLACK_KEY = "xoxb-" + "123456789012-" + "abcdefghijkl"


@pytest.mark.parametrize(
    ("ref", "configurations", "at"),
    [
        ("EXTERNAL_ACTION.SLACK", {"bot_token": SLACK_KEY}, "bot_token"),
        ("EXTERNAL_ACTION.GITHUB", {"github_token": "s3cr3t-of-mine"}, "github_token"),
        (
            "ACTION.HTTP_REQUEST",
            {"headers": {"Authorization": "Bearer 8f7e6d5c4b3a"}},
            "headers/Authorization",
        ),
        ("TRIGGER.EMAIL", {"credentials": {"password": "hunter22"}}, "credentials/password"),
        ("ACTION.HTTP_REQUEST", {"query_params": {"q": [GITHUB_KEY]}}, "query_params/q/0"),
        ("ACTION.HTTP_REQUEST", {"url": "https://me:hunter22@x.example/"}, "url"),
    ],
)
def test_a_literal_secret_is_a_warning_that_does_not_show_it(
    ref: str, configurations: JsonObject, at: str
) -> None:
    (problem,) = found(check, catalog_node(ref, configurations))
    assert (problem.code, problem.severity) == ("SECRET_IN_WORKFLOW", "warning")
    assert problem.pointer == f"{UNDER_TEST}/configurations/{at}"
    shown = str(problem.as_json())
    assert not any(
        part in shown for part in ("hunter22", "s3cr3t", "8f7e6d", SLACK_KEY, GITHUB_KEY)
    )


@pytest.mark.parametrize(
    "value",
    [
        *("${vault:slack-token}", "{{ trigger.token }}", "", "***", "none", "two words"),
        *(None, 123456789, True),
    ],
)
def test_what_is_no_secret_is_not_told(value: Json) -> None:
    node = catalog_node("EXTERNAL_ACTION.SLACK", {"bot_token": value}, {"message": "Hello token"})
    assert found(check, node) == []


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("${VAULT:slack-bot}", "${vault:slack-bot}"),
        ("vault:slack-bot", "${vault:slack-bot}"),
        ("${vault: slack-bot", "${vault:slack-bot}"),
        ("${SLACK_TOKEN}", None),
        ("${env:SLACK_TOKEN}", None),
        ("YOUR_TOKEN_HERE", None),
        ("<your token>", None),
        ("changeme", None),
    ],
)
def test_a_placeholder_or_foreign_notation_is_no_reference(value: str, meant: str | None) -> None:
    (problem,) = found(check, catalog_node("EXTERNAL_ACTION.SLACK", {"bot_token": value}))
    assert (problem.code, problem.severity) == ("SECRET_REFERENCE_INVALID", "warning")
    assert [one["value"] for one in problem.patch or ()] == ([meant] if meant else [])


def test_ordinary_values_are_not_taken_for_secrets() -> None:
    node = catalog_node(
        "AI_AGENT.OPENAI_CHATGPT",
        {"model": "gpt-5", "system_prompt": "Never tell the password.", "max_tokens": 100},
        {"user_prompt": "sk-etch me a house with a very long garden"},
    )
    assert found(check, node) == []


def test_the_values_of_mcp_nodes_are_looked_at() -> None:
    node = plain_node("mcp", {"parameterValues": {"apiKey": "k-1234567890", "pageToken": "abcdef"}})
    (problem,) = found(check, node)
    assert problem.pointer == f"{UNDER_TEST}/parameterValues/apiKey"


def test_what_stands_there_by_default_is_no_secret() -> None:
    settings: JsonObject = {"database_url": "embedded"}
    assert list(found(check, catalog_node("MEMORY.VECTOR_DATABASE", settings))) == []
    other: JsonObject = {"database_url": "postgres-of-mine"}
    assert len(list(found(check, catalog_node("MEMORY.VECTOR_DATABASE", other)))) == 1
