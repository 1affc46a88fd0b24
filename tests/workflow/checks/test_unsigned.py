"""Triggers that take deliveries nobody signed are warned of."""

import pytest
from tests.workflow.checks.values_building import UNDER_TEST, catalog_node, found

from toolweave.json_text import JsonObject
from toolweave.workflow.checks.unsigned import check

REPOSITORY: JsonObject = {"repository": "octocat/hello-world"}


@pytest.mark.parametrize("secret", [None, ""])
def test_a_github_trigger_without_a_secret_is_warned_of(secret: str | None) -> None:
    settings = REPOSITORY if secret is None else REPOSITORY | {"webhook_secret": secret}
    (problem,) = found(check, catalog_node("TRIGGER.GITHUB", settings))
    assert (problem.code, problem.severity) == ("HOOK_UNSIGNED", "warning")
    assert problem.pointer == f"{UNDER_TEST}/configurations"


@pytest.mark.parametrize(
    ("ref", "settings", "is_open"),
    [
        ("TRIGGER.WEBHOOK", {"webhook_path": "/a"}, True),
        ("TRIGGER.WEBHOOK", {"webhook_path": "/a", "authentication": "none"}, True),
        ("TRIGGER.WEBHOOK", {"webhook_path": "/a", "authentication": "signature"}, False),
        ("FLOW.WAIT", {"wait_type": "webhook", "webhook_config": {}}, False),
        (
            "FLOW.WAIT",
            {"wait_type": "webhook", "webhook_config": {"authentication_required": False}},
            True,
        ),
        ("FLOW.WAIT", {"wait_type": "event"}, False),
    ],
)
def test_a_webhook_without_proof_is_warned_of(
    ref: str, settings: JsonObject, is_open: bool
) -> None:
    codes = [one.code for one in found(check, catalog_node(ref, settings))]
    assert codes == (["HOOK_UNSIGNED"] if is_open else [])


def test_one_with_a_secret_and_other_triggers_are_not() -> None:
    signed = catalog_node("TRIGGER.GITHUB", REPOSITORY | {"webhook_secret": "${vault:github}"})
    assert list(found(check, signed)) == []
    assert list(found(check, catalog_node("TRIGGER.MANUAL", {}))) == []
