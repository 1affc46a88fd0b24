"""The specifications of triggers, flow control, plain actions and memory, against the table."""

import pytest
from tests.nodes.catalog_table import TABLE, Section

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.nodes import discover

TYPES = {"TRIGGER", "ACTION", "FLOW", "MEMORY"}
# Described by the original system but never registered there; they come later.
LATER = {"MEMORY.DOCUMENT_STORE", "MEMORY.EPISODIC_MEMORY", "MEMORY.GRAPH_MEMORY"}
REFS = [ref for ref in TABLE if ref.partition(".")[0] in TYPES and ref not in LATER]
SPECS = {node.spec.ref: node.spec for node in discover()}

of_each = pytest.mark.parametrize("ref", REFS)


def sections_of(spec: NodeSpec) -> dict[Section, tuple[Field, ...]]:
    return {
        "configurations": spec.configurations,
        "inputs": spec.inputs,
        "outputs": spec.outputs,
    }


def fields_of(spec: NodeSpec) -> dict[str, Field]:
    """`inputs.data` and so on, as the table names them."""
    return {
        f"{section}.{given.name}": given
        for section, fields in sections_of(spec).items()
        for given in fields
    }


@pytest.mark.requirement(
    "004:spec.TRIGGER.MANUAL",
    "004:spec.TRIGGER.WEBHOOK",
    "004:spec.TRIGGER.CRON",
    "004:spec.TRIGGER.GITHUB",
    "004:spec.TRIGGER.SLACK",
    "004:spec.TRIGGER.EMAIL",
    "004:spec.ACTION.HTTP_REQUEST",
    "004:spec.ACTION.DATA_TRANSFORMATION",
    "004:spec.FLOW.IF",
    "004:spec.FLOW.LOOP",
    "004:spec.FLOW.MERGE",
    "004:spec.FLOW.FILTER",
    "004:spec.FLOW.SORT",
    "004:spec.FLOW.WAIT",
    "004:spec.FLOW.DELAY",
    "004:spec.MEMORY.VECTOR_DATABASE",
    "004:spec.MEMORY.CONVERSATION_BUFFER",
    "004:spec.MEMORY.KEY_VALUE_STORE",
)
@of_each
def test_a_spec_has_the_fields_of_the_table_and_requires_the_same_ones(ref: str) -> None:
    spec, row = SPECS[ref], TABLE[ref]
    for section, fields in sections_of(spec).items():
        assert [given.name for given in fields] == row[section]
    required = [key for key, given in fields_of(spec).items() if given.required]
    assert sorted(required) == sorted(row["required"])


@of_each
def test_a_spec_offers_the_options_of_the_table_in_its_order(ref: str) -> None:
    fields, row = fields_of(SPECS[ref]), TABLE[ref]
    counts = {key: len(set(given.options)) for key, given in fields.items() if given.options}
    assert counts == row["option_counts"]
    for key, shown in row["options"].items():
        assert list(fields[key].options[: len(shown)]) == shown


@of_each
def test_a_spec_has_as_many_examples_as_the_table_and_two_at_least(ref: str) -> None:
    examples = SPECS[ref].examples
    assert len({example.name for example in examples}) == len(examples)
    assert len(examples) >= max(2, TABLE[ref]["examples"])


def test_the_table_covers_eighteen_of_these_nodes() -> None:
    assert len(REFS) == 18


@of_each
def test_only_a_trigger_has_no_way_in(ref: str) -> None:
    spec = SPECS[ref]
    assert [port.name for port in spec.input_ports] == ([] if spec.type == "TRIGGER" else ["input"])
    assert bool(spec.inputs) == (spec.type != "TRIGGER")


def test_nodes_that_part_the_way_name_their_outputs() -> None:
    ports = {ref: [port.name for port in SPECS[ref].output_ports] for ref in REFS}
    assert {ref: names for ref, names in ports.items() if names != ["output"]} == {
        "FLOW.IF": ["true", "false"],
        "FLOW.LOOP": ["loop", "done"],
        "FLOW.FILTER": ["output", "excluded"],
        "FLOW.WAIT": ["output", "timeout"],
    }


def test_only_nodes_that_touch_nothing_are_computed_again_at_will() -> None:
    assert {ref for ref in REFS if SPECS[ref].effect == "pure"} == {
        "ACTION.DATA_TRANSFORMATION",
        "FLOW.IF",
        "FLOW.LOOP",
        "FLOW.MERGE",
        "FLOW.FILTER",
        "FLOW.SORT",
    }
    assert {ref for ref in REFS if SPECS[ref].effect == "once"} == {"ACTION.HTTP_REQUEST"}


@pytest.mark.parametrize("ref", [ref for ref in REFS if SPECS[ref].effect == "pure"])
def test_a_pure_node_says_what_its_examples_give(ref: str) -> None:
    expected = [example for example in SPECS[ref].examples if example.expected_output is not None]
    assert len(expected) >= TABLE[ref]["examples"]


def test_both_ways_of_a_condition_are_shown() -> None:
    shown = {
        example.port: example.expected_output and example.expected_output["condition_result"]
        for example in SPECS["FLOW.IF"].examples
    }
    assert shown == {"true": True, "false": False}


def test_what_a_condition_or_a_delay_is_given_goes_on_unchanged() -> None:
    for ref in ("FLOW.IF", "FLOW.DELAY"):
        for example in SPECS[ref].examples:
            assert example.expected_output is not None
            assert example.expected_output["data"] == example.input_params["data"]


def test_embedding_models_are_suggestions() -> None:
    given = fields_of(SPECS["MEMORY.VECTOR_DATABASE"])["configurations.embedding_model"]
    assert given.is_open
