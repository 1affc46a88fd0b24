"""A setting that another one makes necessary is missed before a run."""

import pytest
from tests.workflow.checks.values_building import UNDER_TEST, catalog_node, found

from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.workflow.checks.dependent_settings import NEEDS, check

SPECS = {node.spec.ref: node.spec for node in discover()}
CASES = [
    (ref, decides, value, path)
    for (ref, decides), needs in NEEDS.items()
    for value, paths in needs.items()
    for path in paths
]


def having(path: str, value: Json) -> JsonObject:
    first, _, below = path.partition(".")
    return {first: {below: value} if below else value}


def merged(one: JsonObject, other: JsonObject) -> JsonObject:
    whole = dict(one)
    for name, value in other.items():
        before = whole.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            value = {**before, **value}
        whole[name] = value
    return whole


def complete(ref: str, decides: str, value: str) -> JsonObject:
    settings: JsonObject = {decides: value}
    for path in NEEDS[ref, decides][value]:
        settings = merged(settings, having(path, "x"))
    return settings


@pytest.mark.parametrize(("ref", "decides", "value", "path"), CASES)
def test_what_is_needed_is_missed_and_told_where(
    ref: str, decides: str, value: str, path: str
) -> None:
    names = {one.name: one for one in SPECS[ref].configurations}
    assert value in names[decides].options
    assert path.partition(".")[0] in names
    whole = complete(ref, decides, value)
    assert list(found(check, catalog_node(ref, whole))) == []
    lacking = merged(whole, having(path, ""))
    (problem,) = found(check, catalog_node(ref, lacking))
    assert (problem.code, problem.severity) == ("SETTING_NEEDED", "error")
    owner, dot, _ = path.partition(".")
    assert problem.pointer == f"{UNDER_TEST}/configurations" + (f"/{owner}" if dot else "")
    assert path in problem.message
    assert list(found(check, catalog_node(ref, {**lacking, "enabled": False}))) == []


def test_the_default_decides_where_nothing_is_said_and_templates_are_left_alone() -> None:
    (problem,) = found(check, catalog_node("ACTION.DATA_TRANSFORMATION", {}))
    assert "field_mapping" in problem.message
    left_alone: tuple[JsonObject, ...] = (
        {"wait_type": "{{ data.kind }}"},
        {"wait_type": "event", "event_config": "{{ data.event }}"},
        {"wait_type": "signal"},
    )
    for settings in left_alone:
        assert list(found(check, catalog_node("FLOW.WAIT", settings))) == []
