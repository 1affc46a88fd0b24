"""What every node keeps to."""

import re
import sys
from collections.abc import Iterator

import pytest

from toolweave.catalog.node import NodeCode
from toolweave.catalog.schema import (
    configuration_schema,
    field_schema,
    input_schema,
    output_schema,
)
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject, canonical, read
from toolweave.nodes import discover
from toolweave.tools.schema import compile_schema

FOLDERS = {
    "TRIGGER": "trigger",
    "AI_AGENT": "ai",
    "ACTION": "action",
    "EXTERNAL_ACTION": "external",
    "FLOW": "flow",
    "HUMAN_IN_THE_LOOP": "human",
    "TOOL": "tool",
    "MEMORY": "memory",
    "MCP": "mcp",
}
# A vendor is one package with a file for each type of its nodes.
VENDOR_FILES = {
    "TRIGGER": "trigger",
    "EXTERNAL_ACTION": "action",
    "HUMAN_IN_THE_LOOP": "ask",
    "TOOL": "mcp_tool",
}
SECRET_NAME = re.compile(r"token|secret|password|credentials|api_key|connection|database_url")
VAULT_REFERENCE = re.compile(r"\$\{vault:[a-z0-9-]+\}")
TEMPLATE = re.compile(r"\{\{ ([\w.]+) \}\}")

NODES = discover()
of_each = pytest.mark.parametrize("node", NODES, ids=lambda node: node.spec.ref)


def all_fields(spec: NodeSpec) -> tuple[Field, ...]:
    return (*spec.configurations, *spec.inputs, *spec.outputs)


def leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield from (leaf for child in value.values() for leaf in leaves(child))
    elif isinstance(value, list):
        yield from (leaf for child in value for leaf in leaves(child))
    else:
        yield value


def secrets_in(name: str, value: Json) -> Iterator[tuple[str, Json]]:
    """What must not be written out: a secret itself, or the secret parts of an object."""
    if not isinstance(value, dict):
        yield name, value
        return
    for key, below in value.items():
        if re.search(rf"{SECRET_NAME.pattern}|url|key", key):
            yield f"{name}.{key}", below


def fits(schema: JsonObject, value: Json) -> bool:
    compiled = compile_schema(schema)
    assert compiled.is_usable, compiled.problems
    return compiled.judge(value).verdict == "valid"


@of_each
def test_it_is_in_the_file_of_its_name(node: NodeCode) -> None:
    (module,) = [
        module.__name__.removesuffix("_")
        for module in [*sys.modules.values()]
        if module.__name__.startswith("toolweave.nodes.") and getattr(module, "node", None) is node
    ]
    name = node.spec.subtype.lower()
    vendor = re.sub(r"_(action|interaction|mcp_tool)$", "", name).replace("email", "mail")
    assert module in {
        f"toolweave.nodes.{FOLDERS[node.spec.type]}.{name}",
        f"toolweave.nodes.services.{vendor}.{VENDOR_FILES.get(node.spec.type)}",
    }


@of_each
def test_its_summary_is_one_short_sentence_and_its_fields_are_described_briefly(
    node: NodeCode,
) -> None:
    assert re.fullmatch(r"[A-Z][^\n]{9,138}\.", node.spec.summary)
    assert ". " not in node.spec.summary
    for given in all_fields(node.spec):
        assert re.fullmatch(r"[^\n]{1,159}\.", given.description), given.name


@of_each
def test_no_name_or_alias_means_two_things(node: NodeCode) -> None:
    spec = node.spec
    for fields in (spec.all_configurations, spec.inputs, spec.outputs, spec.output_ports):
        names = [name for given in fields for name in (given.name, *given.aliases)]
        assert len(names) == len(set(names))


@of_each
def test_it_can_be_searched_for_by_plain_words(node: NodeCode) -> None:
    spec = node.spec
    assert 5 <= len(set(spec.keywords)) == len(spec.keywords) <= 16
    assert 2 <= len(set(spec.tags)) == len(spec.tags) <= 5
    assert all(word == word.lower().strip() != "" for word in (*spec.keywords, *spec.tags))


@of_each
def test_only_a_trigger_has_no_way_in(node: NodeCode) -> None:
    spec = node.spec
    assert [port.name for port in spec.input_ports] == ([] if spec.type == "TRIGGER" else ["input"])
    assert bool(spec.inputs) == (spec.type != "TRIGGER")


@of_each
def test_only_ai_agents_take_attached_nodes(node: NodeCode) -> None:
    is_agent = node.spec.type == "AI_AGENT"
    assert node.spec.attached_nodes == (("TOOL", "MEMORY") if is_agent else ())


@of_each
def test_every_default_fits_its_own_field(node: NodeCode) -> None:
    for given in all_fields(node.spec):
        assert given.default is None or fits(field_schema(given), given.default), given.name


@of_each
def test_every_example_fits_the_schemas_and_gives_all_that_is_required(node: NodeCode) -> None:
    spec = node.spec
    assert len(spec.examples) >= 2
    for example in spec.examples:
        assert fits(configuration_schema(spec), example.configurations), example.name
        assert fits(input_schema(spec), example.input_params), example.name
        required = {given.name for given in spec.configurations if given.required}
        assert required <= example.configurations.keys(), example.name


@of_each
def test_what_an_example_expects_fits_the_outputs_and_leaves_by_ports_there_are(
    node: NodeCode,
) -> None:
    spec = node.spec
    for example in spec.examples:
        assert set(example.ports) <= {port.name for port in spec.output_ports}
        if example.expected_output is not None:
            assert fits(output_schema(spec), example.expected_output), example.name
            assert example.expected_output.keys() <= {given.name for given in spec.outputs}


@of_each
def test_what_an_example_names_in_a_template_is_in_its_input(node: NodeCode) -> None:
    for example in node.spec.examples:
        # A URL's variables come from an input of their own.
        variables = example.input_params.get("url_variables")
        known = {**example.input_params, **(variables if isinstance(variables, dict) else {})}
        for leaf in leaves(example.configurations):
            for found in TEMPLATE.finditer(leaf if isinstance(leaf, str) else ""):
                value: Json = known
                for name in found[1].split("."):
                    assert isinstance(value, dict), found[0]
                    assert name in value, found[0]
                    value = value[name]


@of_each
def test_its_secrets_are_marked_and_an_example_only_refers_to_them(node: NodeCode) -> None:
    configurations = node.spec.configurations
    sensitive = {given.name for given in configurations if given.sensitive}
    named = {
        given.name
        for given in configurations
        if given.type in {"string", "object"} and SECRET_NAME.search(given.name)
    }
    assert named <= sensitive
    for example in node.spec.examples:
        for name in named & example.configurations.keys():
            for key, text in secrets_in(name, example.configurations[name]):
                assert VAULT_REFERENCE.fullmatch(str(text)), key


@of_each
def test_everything_in_it_is_json(node: NodeCode) -> None:
    values: list[Json] = [given.default for given in all_fields(node.spec)]
    for example in node.spec.examples:
        values += [example.configurations, example.input_params, example.expected_output]
    assert read(canonical(values)) == values
