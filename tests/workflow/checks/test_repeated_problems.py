"""A value with one fault gets one problem, although several checks find it."""

import pytest
from tests.workflow.checks.building import known, line, node

from toolweave.json_text import Json
from toolweave.workflow.checks import check_workflow

CRON = ("TRIGGER.CRON", {"cron_expression": "0 0 9 * * 1-5"})
HTTP = ("ACTION.HTTP_REQUEST", {"method": "GET", "url": "api.example.com/orders"})


@pytest.mark.parametrize(("kind", "settings"), [CRON, HTTP])
def test_an_error_with_a_fix_is_not_repeated(kind: str, settings: dict[str, Json]) -> None:
    workflow = line(node("start", "TRIGGER.MANUAL"), node("step", kind, configurations=settings))
    found = [one for one in check_workflow(workflow, known()) if "configurations" in one.pointer]
    assert [(one.severity, one.patch is not None) for one in found] == [("error", True)]


def test_a_value_without_a_fix_keeps_all_that_is_said_of_it() -> None:
    settings: dict[str, Json] = {"cron_expression": "at nine"}
    workflow = line(node("step", "TRIGGER.CRON", configurations=settings))
    found = [one for one in check_workflow(workflow, known()) if "configurations" in one.pointer]
    assert {one.code for one in found} >= {"CRON_INVALID", "FIELD_LIMIT_VIOLATED"}
