"""Unknown settings that ask for nothing are removed; what asks for something is kept."""

import pytest
from tests.workflow.checks.repaired import examined_node, repaired_settings

from toolweave.json_text import Json

_URL = {"method": "GET", "url": "https://api.example.com/rows"}


@pytest.mark.parametrize("value", [None, "", {}, []])
@pytest.mark.parametrize("name", ["credentials", "options", "pagination"])
def test_an_unknown_setting_without_content_is_removed(name: str, value: Json) -> None:
    report = examined_node("ACTION.HTTP_REQUEST", {**_URL, name: value})
    place = f"/nodes/1/data/configurations/{name}"
    assert [one.code for one in report.problems if one.pointer == place] == ["FIELD_UNKNOWN"]
    assert repaired_settings("ACTION.HTTP_REQUEST", {**_URL, name: value}) == _URL


@pytest.mark.parametrize("value", [[502, 503], {"page": 1}, "eu-west"])
def test_an_unknown_setting_with_content_is_kept(value: Json) -> None:
    settings = {**_URL, "retry_on": value}
    assert repaired_settings("ACTION.HTTP_REQUEST", settings) == settings


def test_null_under_a_known_name_is_no_problem() -> None:
    settings: dict[str, Json] = {**_URL, "headers": None, "retry_attempts": None}
    assert examined_node("ACTION.HTTP_REQUEST", settings, {}).problems == ()
