"""What trigger nodes give."""

import pytest

from toolweave.catalog.node import NodeCode, NodeInput, Pure
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.nodes.trigger import cron, manual, webhook

TRIGGERS = [node for node in discover() if node.spec.type == "TRIGGER"]
RUN: JsonObject = {"id": "r-1", "workflow": "W", "started_at": "2026-03-02T09:30:00.000Z"}
of_each = pytest.mark.parametrize("node", TRIGGERS, ids=lambda node: node.spec.subtype)


def value_of(node: NodeCode, came_in: Json, **config: Json) -> JsonObject:
    defaults = {
        given.name: given.default for given in node.spec.configurations if given.default is not None
    }
    assert isinstance(node, Pure)
    outcome = node.compute(NodeInput(defaults | config, incoming=came_in, names={"run": RUN}))
    assert outcome.ports == ("output",)
    assert isinstance(outcome.value, dict)
    return outcome.value


@of_each
def test_every_output_is_there_and_of_its_type_when_somebody_starts_it_by_hand(
    node: NodeCode,
) -> None:
    value = value_of(node, {}, **node.spec.examples[0].configurations)
    assert value.keys() == {output.name for output in node.spec.outputs}
    kinds = {"string": str, "object": dict, "array": list, "integer": int}
    for output in node.spec.outputs:
        if output.type in kinds:
            assert isinstance(value[output.name], kinds[output.type]), output.name
        assert not output.options or value[output.name] in {*output.options, ""}


@of_each
def test_what_the_run_was_started_with_is_passed_on(node: NodeCode) -> None:
    inputs: JsonObject = {output.name: f"given {output.name}" for output in node.spec.outputs}
    inputs["extra"] = [1, None]
    assert value_of(node, inputs) == inputs


@pytest.mark.parametrize("came_in", [None, 1, [1]])
def test_inputs_that_are_no_object_are_passed_over(came_in: Json) -> None:
    assert value_of(manual.node, came_in, trigger_name="Go") == {
        "trigger_time": RUN["started_at"],
        "execution_id": "r-1",
        "user_id": "",
        "trigger_message": "Started by hand: Go",
    }


def test_a_delivery_gets_the_id_of_its_run() -> None:
    value = value_of(cron.node, {"scheduled_time": "2026-03-02T09:30:00.000Z", "execution_id": ""})
    assert value["execution_id"] == "r-1"
    assert value["trigger_message"] == "Scheduled for 2026-03-02T09:30:00.000Z"


def test_what_a_webhook_is_started_with_by_hand_is_its_body() -> None:
    value = value_of(webhook.node, {"city": "London"}, webhook_path="/weather")
    assert (value["body"], value["city"]) == ({"city": "London"}, "London")
    assert (value["method"], value["path"]) == ("POST", "/weather")
