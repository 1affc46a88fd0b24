"""The specifications that talk to services, people, MCP servers and models, against the table."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import toolweave
from nodes.catalog_table import TABLE, Section
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json, JsonObject, canonical, read

FOLDERS = {
    "EXTERNAL_ACTION": "external",
    "HUMAN_IN_THE_LOOP": "human",
    "TOOL": "tool",
    "AI_AGENT": "ai",
}
REFS = [ref for ref in TABLE if ref.partition(".")[0] in FOLDERS]
HUMAN = [ref for ref in REFS if ref.startswith("HUMAN_IN_THE_LOOP.")]
SECTIONS: tuple[Section, ...] = ("configurations", "inputs", "outputs")
REPLIES = ["confirmed", "rejected", "unrelated", "timeout"]
TEMPLATE = re.compile(r"\{\{ ([\w.]+) \}\}")
VAULT_REFERENCE = re.compile(r"\$\{vault:[a-z0-9-]+\}")

of_each = pytest.mark.parametrize("ref", REFS)


def spec_of(ref: str) -> NodeSpec:
    """The specification in the file that belongs to `ref`."""
    kind, _, subtype = ref.partition(".")
    spec: object = import_module(f"toolweave.nodes.{FOLDERS[kind]}.{subtype.lower()}").node.spec
    assert isinstance(spec, NodeSpec)
    return spec


def fields_of(spec: NodeSpec, section: Section) -> tuple[Field, ...]:
    return {
        "configurations": spec.configurations,
        "inputs": spec.inputs,
        "outputs": spec.outputs,
    }[section]


def fields_by_key(spec: NodeSpec) -> dict[str, Field]:
    """`inputs.message` and so on, for every field."""
    return {
        f"{section}.{given.name}": given
        for section in SECTIONS
        for given in fields_of(spec, section)
    }


def has_type(value: Json, kind: str | None) -> bool:
    match kind:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return True


def faults_in(value: Json, given: Field) -> Iterator[str]:
    """Why `value` is not one that `given` takes."""
    items = value if isinstance(value, list) else [value]
    if not has_type(value, given.type):
        yield f"{given.name}: {value!r} is no {given.type}"
    if isinstance(value, list) and not all(has_type(item, given.items) for item in value):
        yield f"{given.name}: not every item of {value!r} is of type {given.items}"
    if given.options and not given.is_open and not all(item in given.options for item in items):
        yield f"{given.name}: {value!r} is not among its options"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if given.minimum is not None and value < given.minimum:
            yield f"{given.name}: {value} is under {given.minimum}"
        if given.maximum is not None and value > given.maximum:
            yield f"{given.name}: {value} is over {given.maximum}"
    if given.pattern and isinstance(value, str) and not re.search(given.pattern, value):
        yield f"{given.name}: {value!r} does not match {given.pattern}"


def faults_of_values(values: JsonObject, fields: tuple[Field, ...]) -> Iterator[str]:
    """Unknown names, missing ones, and values that do not fit."""
    known = {given.name: given for given in fields}
    yield from (f"{name} is unknown" for name in values.keys() - known.keys())
    yield from (f"{f.name} is missing" for f in fields if f.required and f.name not in values)
    for name in values.keys() & known.keys():
        yield from faults_in(values[name], known[name])


def leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield from (leaf for child in value.values() for leaf in leaves(child))
    elif isinstance(value, list):
        yield from (leaf for child in value for leaf in leaves(child))
    else:
        yield value


def secrets_in(example: Example, spec: NodeSpec) -> list[Json]:
    sensitive = {given.name for given in spec.configurations if given.sensitive}
    given = {name: value for name, value in example.configurations.items() if name in sensitive}
    return list(leaves(given))


def test_every_node_of_the_table_has_a_file_of_its_own() -> None:
    root = Path(toolweave.__file__).parent / "nodes"
    found = {
        f"{kind}.{path.stem.upper()}"
        for kind, folder in FOLDERS.items()
        for path in (root / folder).glob("[!_]*.py")
    }
    assert found >= set(REFS)
    assert len(REFS) == 21


@pytest.mark.requirement(
    "004:spec.EXTERNAL_ACTION.SLACK",
    "004:spec.EXTERNAL_ACTION.GITHUB",
    "004:spec.EXTERNAL_ACTION.NOTION",
    "004:spec.EXTERNAL_ACTION.GOOGLE_CALENDAR",
    "004:spec.EXTERNAL_ACTION.FIRECRAWL",
    "004:spec.EXTERNAL_ACTION.DISCORD_ACTION",
    "004:spec.EXTERNAL_ACTION.TELEGRAM_ACTION",
    "004:spec.HUMAN_IN_THE_LOOP.SLACK_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.GMAIL_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.DISCORD_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
    "004:spec.TOOL.NOTION_MCP_TOOL",
    "004:spec.TOOL.GOOGLE_CALENDAR_MCP_TOOL",
    "004:spec.TOOL.SLACK_MCP_TOOL",
    "004:spec.TOOL.FIRECRAWL_MCP_TOOL",
    "004:spec.TOOL.DISCORD_MCP_TOOL",
    "004:spec.AI_AGENT.OPENAI_CHATGPT",
    "004:spec.AI_AGENT.ANTHROPIC_CLAUDE",
    "004:spec.AI_AGENT.GOOGLE_GEMINI",
)
@of_each
def test_a_spec_has_the_fields_of_the_table_and_requires_the_same_ones(ref: str) -> None:
    spec, row = spec_of(ref), TABLE[ref]
    assert spec.ref == ref
    for section in SECTIONS:
        assert [given.name for given in fields_of(spec, section)] == row[section]
    required = {key for key, given in fields_by_key(spec).items() if given.required}
    assert required == set(row["required"])


@of_each
def test_a_spec_offers_the_options_of_the_table_and_no_others_are_counted(ref: str) -> None:
    fields, row = fields_by_key(spec_of(ref)), TABLE[ref]
    counts = {key: len(set(given.options)) for key, given in fields.items() if given.options}
    assert counts == row["option_counts"]
    for key, shown in row["options"].items():
        assert set(shown) <= set(fields[key].options)


@of_each
def test_a_spec_has_as_many_examples_as_the_table_and_two_at_least(ref: str) -> None:
    examples = spec_of(ref).examples
    assert len(examples) >= max(2, TABLE[ref]["examples"])
    assert len({example.name for example in examples}) == len(examples)


@of_each
def test_every_example_fits_the_fields_and_leaves_by_a_declared_port(ref: str) -> None:
    spec = spec_of(ref)
    ports = {port.name for port in spec.output_ports}
    for example in spec.examples:
        assert list(faults_of_values(example.configurations, spec.all_configurations)) == []
        assert list(faults_of_values(example.input_params, spec.inputs)) == []
        assert example.port in ports
        assert example.expected_output is None


@of_each
def test_examples_use_more_than_one_action_where_there_are_several(ref: str) -> None:
    spec = spec_of(ref)
    given = [{**example.configurations, **example.input_params} for example in spec.examples]
    for choice in {"action_type", "tool_name"} & {f.name for f in spec.inputs}:
        assert len({str(values.get(choice)) for values in given}) > 1


@of_each
def test_what_an_example_names_in_a_template_is_in_its_input(ref: str) -> None:
    for example in spec_of(ref).examples:
        for leaf in leaves(example.configurations):
            for found in TEMPLATE.finditer(leaf if isinstance(leaf, str) else ""):
                value: Json = example.input_params
                for name in found[1].split("."):
                    assert isinstance(value, dict)
                    assert name in value
                    value = value[name]


@pytest.mark.parametrize("ref", [ref for ref in REFS if ref.startswith("TOOL.")])
def test_a_tool_example_calls_a_tool_that_is_available_in_it(ref: str) -> None:
    spec = spec_of(ref)
    default = fields_by_key(spec)["configurations.available_tools"].default
    for example in spec.examples:
        available = example.configurations.get("available_tools", default)
        assert isinstance(available, list)
        assert example.input_params["tool_name"] in available


@of_each
def test_a_secret_in_an_example_is_always_a_vault_reference(ref: str) -> None:
    spec = spec_of(ref)
    for example in spec.examples:
        for secret in secrets_in(example, spec):
            assert isinstance(secret, str)
            assert VAULT_REFERENCE.fullmatch(secret)


@of_each
def test_fields_that_hold_a_key_are_sensitive(ref: str) -> None:
    secret_names = re.compile(r"(_token|_api_key|_credentials)$")
    configurations = spec_of(ref).configurations
    named = {given.name for given in configurations if secret_names.search(given.name)}
    sensitive = {given.name for given in configurations if given.sensitive}
    assert named == sensitive - {"webhook_config"}


@of_each
def test_every_default_is_a_value_its_own_field_takes(ref: str) -> None:
    for given in fields_by_key(spec_of(ref)).values():
        if given.default is not None:
            assert list(faults_in(given.default, given)) == []


@of_each
def test_texts_are_short_sentences_and_search_words_are_plain(ref: str) -> None:
    spec = spec_of(ref)
    assert spec.summary.endswith(".")
    assert ". " not in spec.summary
    assert len(spec.summary) <= 140
    for given in fields_by_key(spec).values():
        assert given.description.endswith(".")
        assert len(given.description) <= 160
    assert 5 <= len(set(spec.keywords)) == len(spec.keywords) <= 12
    assert 2 <= len(set(spec.tags)) == len(spec.tags) <= 5
    assert all(word == word.lower() for word in (*spec.keywords, *spec.tags))


@of_each
def test_everything_in_a_spec_is_json(ref: str) -> None:
    spec = spec_of(ref)
    values: list[Json] = [given.default for given in fields_by_key(spec).values()]
    for example in spec.examples:
        values += [example.configurations, example.input_params]
    assert read(canonical(values)) == values


@of_each
def test_no_name_or_alias_means_two_fields_of_one_section(ref: str) -> None:
    spec = spec_of(ref)
    for section in SECTIONS:
        names = [name for f in fields_of(spec, section) for name in (f.name, *f.aliases)]
        assert len(names) == len(set(names))


@pytest.mark.requirement("004:hil.ports")
@pytest.mark.parametrize("ref", HUMAN)
def test_a_human_node_has_the_four_outcomes_as_ports_and_as_classification(ref: str) -> None:
    spec = spec_of(ref)
    assert [port.name for port in spec.output_ports] == REPLIES
    assert list(fields_by_key(spec)["outputs.ai_classification"].options) == REPLIES
    assert spec.guidance is not None
    assert "Do not add IF or AI_AGENT after it" in spec.guidance


@of_each
def test_only_ai_agents_take_attached_nodes(ref: str) -> None:
    spec = spec_of(ref)
    assert spec.attached_nodes == (("TOOL", "MEMORY") if spec.type == "AI_AGENT" else ())


@pytest.mark.parametrize("ref", [ref for ref in REFS if ref.startswith("AI_AGENT.")])
def test_an_ai_agent_is_read_by_the_seeds_older_names_too(ref: str) -> None:
    fields = fields_by_key(spec_of(ref))
    assert fields["configurations.model"].aliases == ("model_version",)
    assert fields["inputs.user_prompt"].aliases == ("user_input",)
    assert fields["outputs.content"].aliases == ("output",)


@of_each
def test_model_names_are_suggestions(ref: str) -> None:
    models = [f for f in spec_of(ref).configurations if f.name in {"model", "ai_analysis_model"}]
    assert all(given.is_open for given in models)


@of_each
def test_none_of_these_nodes_is_recomputed_at_will(ref: str) -> None:
    assert spec_of(ref).effect in {"once", "keyed"}


def test_nodes_that_change_something_outside_run_once() -> None:
    keyed = {ref for ref in REFS if spec_of(ref).effect == "keyed"}
    assert keyed == {"EXTERNAL_ACTION.FIRECRAWL", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"}


def test_the_check_of_values_finds_every_kind_of_fault() -> None:
    number = Field("n", "integer", "A number.", required=True, minimum=1, maximum=3)
    choice = Field("c", "array", "Choices.", options=("a", "b"), items="string")
    day = Field("d", "string", "A day.", pattern=r"^\d+$")
    fields = (number, choice, day)
    assert list(faults_of_values({"n": 2, "c": ["a"], "d": "7"}, fields)) == []
    wrong: list[JsonObject] = [
        {},
        {"n": 2, "x": 1},
        {"n": True},
        {"n": 0},
        {"n": 4},
        {"n": 2, "c": ["z"]},
        {"n": 2, "c": [1]},
        {"n": 2, "d": "Monday"},
    ]
    assert all(list(faults_of_values(values, fields)) for values in wrong)
