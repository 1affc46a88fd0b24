"""What other systems call a setting, an option, a member, an output or a port is fixed to ours."""

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.tools.test_other_names import SPECS
from tests.workflow.checks.building import known
from tests.workflow.faults.measure import canonical

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.tools.other_names import names_of
from toolweave.workflow.formats.load import convert
from toolweave.workflow.report import Report, examine

# One in so many of the other names is tried with every setting that an example has.
EACH = 7
Data = dict[str, Any]  # Any: a JSON document of a test


def report(ref: str, settings: JsonObject, inputs: JsonObject, *more: Data) -> Report:
    """The report on a workflow with one node under test, and nodes that follow it."""
    kind, _, subtype = ref.partition(".")
    data = {"subtype": subtype, "configurations": settings, "inputParams": inputs}
    start = {"id": "go", "type": "TRIGGER", "name": "go", "data": {"subtype": "MANUAL"}}
    nodes = [{"id": "a", "type": kind, "name": "a", "data": data}, *more]
    nodes = nodes if kind == "TRIGGER" else [start, *nodes]
    ids = [str(one["id"]) for one in nodes]
    edges = [
        {"id": f"{one}-{two}", "from": one, "to": two, "fromPort": "output", "toPort": "input"}
        for one, two in pairwise(ids)
    ]
    document = {"id": "w", "name": "w", "version": "1.0.0", "nodes": nodes, "connections": edges}
    return examine(json.dumps(document), known())


def fixed(found: Report) -> str:
    return canonical(convert(found.fixed.workflow, "toolweave"))


@pytest.mark.parametrize("spec", SPECS, ids=lambda one: one.ref)
def test_other_names_of_the_settings_in_an_example_are_fixed(spec: NodeSpec):
    names, done = names_of(spec.ref), set[str]()
    for example in spec.examples:
        parts = (dict(example.configurations), dict(example.input_params))
        right = fixed(report(spec.ref, *parts))
        for at, part in enumerate(parts):
            for name in part.keys() - done:
                done.add(name)
                words = sorted(
                    one for one, meant in names.settings.exact.items() if meant == (name,)
                )
                for word in words[::EACH]:
                    wrong = {(word if key == name else key): one for key, one in part.items()}
                    tried = (wrong, parts[1]) if at == 0 else (parts[0], wrong)
                    assert fixed(report(spec.ref, *tried)) == right, (name, word)
                options = names.options.get(name)
                words = sorted(
                    one
                    for one, meant in (options.exact.items() if options else ())
                    if meant == (part[name],)
                )
                for word in words[::EACH]:
                    wrong = {**part, name: word}
                    tried = (wrong, parts[1]) if at == 0 else (parts[0], wrong)
                    assert fixed(report(spec.ref, *tried)) == right, (name, word)


def patches(found: Report) -> list[Any]:
    return [one.patch for one in found.problems if one.patch]


FETCH: JsonObject = {"method": "GET", "url": "https://example.com"}


def test_another_name_of_a_setting_that_is_set_as_well_is_not_moved():
    found = report("ACTION.HTTP_REQUEST", {**FETCH, "endpoint": "https://example.org"}, {})
    assert patches(found) == []


def test_a_name_that_may_mean_two_settings_is_not_moved_and_both_are_named():
    mail: JsonObject = {"smtp_host": "mail.example.com", "from_address": "a@example.com"}
    found = report("EXTERNAL_ACTION.EMAIL", mail, {"to": ["b@example.com"], "body": "Hello"})
    assert patches(found) == []
    (hint,) = [one.hint for one in found.problems if one.pointer.endswith("/body")]
    assert hint is not None
    assert "'text'" in hint
    assert "'html'" in hint


def test_an_option_that_may_mean_two_is_not_replaced_and_both_are_named():
    found = report("ACTION.HTTP_REQUEST", {**FETCH, "method": "modify"}, {})
    assert patches(found) == []
    (hint,) = [one.hint for one in found.problems if one.pointer.endswith("/method")]
    assert hint == "choose one of 'PUT', 'PATCH'"


def test_another_name_whose_value_does_not_fit_is_not_moved():
    found = report("ACTION.HTTP_REQUEST", {**FETCH, "allow_redirects": {"max": 3}}, {})
    assert patches(found) == []


def test_another_name_of_a_member_is_fixed():
    settings: JsonObject = {
        "filter_mode": "include",
        "filter_type": "simple_condition",
        "conditions": [{"field": "price", "operator": "greater_than", "rightValue": 3}],
    }
    found = report("FLOW.FILTER", settings, {"data": [{"price": 4}]})
    assert '"value": 3' in fixed(found)


def test_another_name_of_an_output_is_fixed():
    shown = {"subtype": "SET_FIELDS", "configurations": {"set": {"n": "{{ a.rc }}"}}}
    node = {"id": "b", "type": "ACTION", "name": "b", "data": shown}
    found = report("ACTION.RUN_COMMAND", {"command": "date"}, {}, node)
    assert "{{ a.exit_code }}" in fixed(found)


def test_a_valid_workflow_reads_no_other_names():
    names_of.cache_clear()
    assert report("ACTION.HTTP_REQUEST", FETCH, {}).is_valid
    assert names_of.cache_info().misses == 0
