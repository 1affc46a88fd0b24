"""Both official conformance suites against `toolweave serve`, in either protocol era."""

import pytest

from conformance.conftest import Found
from conformance.exceptions import EXCUSED
from conformance.programs import needs
from conformance.suites import SUITES, run_scenario, scenarios
from rest.process import Served

pytestmark = [
    pytest.mark.xdist_group("node"),
    needs("conformance-2025"),
    needs("conformance-2026"),
]

# The tools that published workflows are, in every revision.
CALLED = {
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
}
ASKED = {"tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"}
FROM_LIBRARIES = {
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "prompts-get-embedded-resource",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "completion-complete",
}
WATCHED = {"resources-subscribe", "resources-unsubscribe"}
# What we implement so far; each of them has to be looked at and found right.
PASSED: dict[str, set[str]] = {
    "2025": {
        *CALLED,
        *FROM_LIBRARIES,
        *ASKED,
        *WATCHED,
        "server-initialize",
        "ping",
        "tools-list",
        "prompts-list",
        "resources-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    },
    "2025-11-25": {
        *CALLED,
        *FROM_LIBRARIES,
        *ASKED,
        *WATCHED,
        "json-schema-2020-12",
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "tools-list",
        "prompts-list",
        "resources-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    },
    "2026-07-28": {
        *CALLED,
        *FROM_LIBRARIES,
        "json-schema-2020-12",
        "http-custom-header-server-validation",
        "input-required-result-basic-elicitation",
        "input-required-result-request-state",
        "input-required-result-multi-round",
        "input-required-result-non-tool-request",
        "input-required-result-tampered-state",
        "input-required-result-result-type",
        "tasks-capability-negotiation",
        "tasks-lifecycle",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
        "tools-list",
        "prompts-list",
        "resources-list",
        "caching",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
    },
}


@pytest.mark.parametrize("suite", SUITES)
def test_no_check_fails_but_for_a_reason_we_can_name(found: Found, suite: str) -> None:
    failed = [check for check in found[suite] if check.status == "FAILURE"]
    inexcusable = [
        check
        for check in failed
        if (excuse := EXCUSED.get(check.scenario)) is None or not excuse.told.search(check.told)
    ]
    assert inexcusable == []


@pytest.mark.parametrize("suite", SUITES)
def test_what_we_implement_is_looked_at_and_found_right(found: Found, suite: str) -> None:
    failed = scenarios(found[suite], "FAILURE")
    assert PASSED[suite] <= scenarios(found[suite], "SUCCESS") - failed
    assert failed <= set(EXCUSED)


def test_no_scenario_is_excused_that_would_pass(found: Found) -> None:
    for name in EXCUSED:
        ran = [checks for checks in found.values() if any(c.scenario == name for c in checks)]
        assert ran, f"no suite has the scenario {name!r}"
        for checks in ran:
            assert name in scenarios(checks, "FAILURE"), f"{name!r} passes: it needs no excuse"


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("part", ["enumeration", "manifest", "directory"])
def test_workflows_are_skills_as_the_extension_asks(
    server: Served, part: str, version: str
) -> None:
    checks = run_scenario(
        f"sep-2640-skills-{part}", version, server.url + "/mcp", server.key, server.home
    )
    assert [check for check in checks if check.status == "FAILURE"] == []
    assert any(check.status == "SUCCESS" for check in checks)


def test_of_the_checks_without_a_session_only_those_of_a_missing_tool_fail(found: Found) -> None:
    checks = [check for check in found["2026-07-28"] if check.scenario == "server-stateless"]
    assert len([check for check in checks if check.status == "SUCCESS"]) >= 26
    assert len([check for check in checks if check.status == "FAILURE"]) == 2
