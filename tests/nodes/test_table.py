"""The specifications of the seed against the catalog's table, and what is special about some."""

import pytest
from tests.nodes.catalog_table import TABLE, Section

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.nodes import discover

# Described by the original system but never registered there; they come later.
LATER = {"MEMORY.DOCUMENT_STORE", "MEMORY.EPISODIC_MEMORY", "MEMORY.GRAPH_MEMORY"}
REFS = [ref for ref in TABLE if ref not in LATER]
# Beyond the seed.
OURS = {
    *("FLOW.FOR_EACH", "FLOW.SPLIT", "FLOW.SWITCH"),
    *("FLOW.TIMEOUT", "FLOW.SUBWORKFLOW", "FLOW.STOP"),
    *("ACTION.SET_FIELDS", "ACTION.PARSE", "ACTION.DATABASE_QUERY", "ACTION.FILE_READ"),
    *("ACTION.FILE_WRITE", "ACTION.RUN_COMMAND", "ACTION.WEB_SEARCH"),
    *("EXTERNAL_ACTION.EMAIL", "TRIGGER.FILE_WATCH", "TRIGGER.WORKFLOW_FAILED"),
    *("AI_AGENT.OPENAI_COMPATIBLE", "AI_AGENT.EXTRACT", "AI_AGENT.CLASSIFY"),
    *("MEMORY.ENTITY", "MEMORY.KNOWLEDGE_BASE"),
    *("HUMAN_IN_THE_LOOP.FORM", "HUMAN_IN_THE_LOOP.MCP_ELICITATION"),
    *("MCP.RESOURCE", "MCP.PROMPT"),
}
SPECS = {node.spec.ref: node.spec for node in discover()}
REPLIES = ["confirmed", "rejected", "unrelated", "timeout"]

of_each = pytest.mark.parametrize("ref", REFS)


def sections_of(spec: NodeSpec) -> dict[Section, tuple[Field, ...]]:
    return {"configurations": spec.configurations, "inputs": spec.inputs, "outputs": spec.outputs}


def fields_of(ref: str) -> dict[str, Field]:
    """`inputs.data` and so on, as the table names them."""
    return {
        f"{section}.{given.name}": given
        for section, fields in sections_of(SPECS[ref]).items()
        for given in fields
    }


def refs_of(*types: str) -> list[str]:
    return [ref for ref in REFS if ref.partition(".")[0] in types]


def test_the_table_has_the_thirty_nine_nodes_of_the_seed_and_ours_are_named() -> None:
    assert len(REFS) == 39
    assert set(REFS) <= set(SPECS)
    assert {ref for ref in OURS if ref.startswith("FLOW.")} <= set(SPECS)
    assert set(SPECS) - set(REFS) <= OURS | LATER


@of_each
def test_a_spec_offers_the_options_of_the_table_and_as_many(ref: str) -> None:
    fields, row = fields_of(ref), TABLE[ref]
    counts = {key: len(set(given.options)) for key, given in fields.items() if given.options}
    assert counts == row["option_counts"]
    for key, shown in row["options"].items():
        assert set(shown) <= set(fields[key].options)


@of_each
def test_a_spec_has_at_least_as_many_examples_as_the_table(ref: str) -> None:
    examples = SPECS[ref].examples
    assert len({example.name for example in examples}) == len(examples) >= TABLE[ref]["examples"]


def test_nodes_that_part_the_way_name_their_outputs() -> None:
    ports = {ref: [port.name for port in SPECS[ref].output_ports] for ref in REFS}
    parting = {ref: names for ref, names in ports.items() if names != ["output"]}
    assert parting == {
        "FLOW.IF": ["true", "false"],
        "FLOW.LOOP": ["loop", "done"],
        "FLOW.FILTER": ["output", "excluded"],
        "FLOW.WAIT": ["output", "timeout"],
        **dict.fromkeys(refs_of("HUMAN_IN_THE_LOOP"), REPLIES),
    }


def test_ports_are_known_by_the_names_of_the_original_system_too() -> None:
    known = {
        ref: {alias: port.name for port in SPECS[ref].output_ports for alias in port.aliases}
        for ref in REFS
    }
    assert {ref: aliases for ref, aliases in known.items() if aliases} == {
        "FLOW.LOOP": {"iteration": "loop", "completed": "done"},
        "FLOW.FILTER": {"passed": "output", "filtered": "excluded"},
        "FLOW.WAIT": {"completed": "output", "cancelled": "timeout", "failed": "timeout"},
    }


def test_fields_that_pass_data_on_take_any_value() -> None:
    free = {f"{ref}.{key}" for ref in REFS for key, f in fields_of(ref).items() if f.type == "any"}
    assert free >= {
        *("FLOW.IF.inputs.data", "FLOW.LOOP.inputs.data", "FLOW.WAIT.inputs.data"),
        *("FLOW.DELAY.inputs.data", "ACTION.HTTP_REQUEST.inputs.body"),
        *(
            "ACTION.HTTP_REQUEST.outputs.json",
            "ACTION.DATA_TRANSFORMATION.outputs.transformed_data",
        ),
        *("MEMORY.KEY_VALUE_STORE.inputs.value", "MEMORY.KEY_VALUE_STORE.outputs.value"),
    }
    assert not any(".configurations." in name for name in free)


@pytest.mark.parametrize(
    ("effect", "refs"),
    [
        (
            "pure",
            {
                *("ACTION.DATA_TRANSFORMATION", "FLOW.IF", "FLOW.LOOP", "FLOW.MERGE"),
                *("FLOW.FILTER", "FLOW.SORT"),
            },
        ),
        (
            "keyed",
            {
                *refs_of("TRIGGER", "MEMORY"),
                *("FLOW.WAIT", "FLOW.DELAY", "EXTERNAL_ACTION.FIRECRAWL"),
                "HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
            },
        ),
    ],
)
def test_what_may_happen_twice_is_said_so(effect: str, refs: set[str]) -> None:
    assert {ref for ref in REFS if SPECS[ref].effect == effect} == refs


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


def test_a_partition_leaves_by_both_ports() -> None:
    parted = [
        example
        for example in SPECS["FLOW.FILTER"].examples
        if example.configurations["filter_mode"] == "partition"
    ]
    assert [example.ports for example in parted] == [("output", "excluded")]


def test_what_a_condition_or_a_delay_is_given_goes_on_unchanged() -> None:
    for ref in ("FLOW.IF", "FLOW.DELAY"):
        for example in SPECS[ref].examples:
            assert example.expected_output is not None
            assert example.expected_output["data"] == example.input_params["data"]


@pytest.mark.parametrize("ref", refs_of("HUMAN_IN_THE_LOOP"))
def test_a_human_node_classifies_by_its_four_ports_and_says_so(ref: str) -> None:
    assert list(fields_of(ref)["outputs.ai_classification"].options) == REPLIES
    assert "Do not add IF or AI_AGENT after it" in (SPECS[ref].guidance or "")


@pytest.mark.parametrize("ref", refs_of("AI_AGENT"))
def test_an_ai_agent_is_read_by_the_seeds_older_names_too(ref: str) -> None:
    fields = fields_of(ref)
    assert fields["configurations.model"].aliases == ("model_version",)
    assert fields["inputs.user_prompt"].aliases == ("user_input",)
    assert fields["outputs.content"].aliases == ("output",)


@of_each
def test_model_names_are_suggestions(ref: str) -> None:
    names = {"model", "ai_analysis_model", "embedding_model"}
    models = [given for given in SPECS[ref].configurations if given.name in names]
    assert all(given.is_open for given in models)


@pytest.mark.parametrize("ref", refs_of("EXTERNAL_ACTION", "TOOL"))
def test_examples_use_more_than_one_action_where_there_are_several(ref: str) -> None:
    spec = SPECS[ref]
    given = [{**example.configurations, **example.input_params} for example in spec.examples]
    for choice in {"action_type", "tool_name"} & {one.name for one in spec.inputs}:
        assert len({str(values.get(choice)) for values in given}) > 1


@pytest.mark.parametrize("ref", refs_of("TOOL"))
def test_a_tool_example_calls_a_tool_that_is_available_in_it(ref: str) -> None:
    default = fields_of(ref)["configurations.available_tools"].default
    for example in SPECS[ref].examples:
        available = example.configurations.get("available_tools", default)
        assert isinstance(available, list)
        assert example.input_params["tool_name"] in available
