"""Every node that is found, in which order, and the contract each of them keeps."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolweave.nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.node import Node
from toolweave.catalog.serialise import serialise
from toolweave.catalog.spec import Field, FieldType, NodeSpec
from toolweave.json_text import Json, JsonObject, canonical, read
from toolweave.nodes import discover
from toolweave.nodes.order import SEED_ORDER, place

SEED_TYPES = {
    "TRIGGER": ["MANUAL", "WEBHOOK", "CRON", "GITHUB", "SLACK", "EMAIL"],
    "AI_AGENT": ["OPENAI_CHATGPT", "ANTHROPIC_CLAUDE", "GOOGLE_GEMINI"],
    "ACTION": ["HTTP_REQUEST", "DATA_TRANSFORMATION"],
    "EXTERNAL_ACTION": [
        *("SLACK", "GITHUB", "NOTION", "GOOGLE_CALENDAR", "FIRECRAWL"),
        *("DISCORD_ACTION", "TELEGRAM_ACTION"),
    ],
    "FLOW": ["IF", "LOOP", "MERGE", "FILTER", "SORT", "WAIT", "DELAY"],
    "HUMAN_IN_THE_LOOP": [
        *("SLACK_INTERACTION", "GMAIL_INTERACTION", "OUTLOOK_INTERACTION"),
        *("DISCORD_INTERACTION", "TELEGRAM_INTERACTION", "MANUAL_REVIEW"),
    ],
    "TOOL": [
        *("NOTION_MCP_TOOL", "GOOGLE_CALENDAR_MCP_TOOL", "SLACK_MCP_TOOL"),
        *("FIRECRAWL_MCP_TOOL", "DISCORD_MCP_TOOL"),
    ],
    "MEMORY": ["VECTOR_DATABASE", "CONVERSATION_BUFFER", "KEY_VALUE_STORE"],
}
FOLDERS = {
    "TRIGGER": "trigger",
    "AI_AGENT": "ai",
    "ACTION": "action",
    "EXTERNAL_ACTION": "external",
    "FLOW": "flow",
    "HUMAN_IN_THE_LOOP": "human",
    "TOOL": "tool",
    "MEMORY": "memory",
}
SECRET_NAME = re.compile(r"token|secret|password|credentials|api_key|connection|database_url")
TYPES: dict[FieldType, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "float": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}

NODES = discover()
of_each = pytest.mark.parametrize("node", NODES, ids=lambda node: node.spec.ref)


def all_fields(spec: NodeSpec) -> tuple[Field, ...]:
    return (*spec.configurations, *spec.inputs, *spec.outputs)


def is_a(value: Json, kind: FieldType) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def fits(value: Json, given: Field) -> bool:
    """Whether `given` takes `value`."""
    values = value if isinstance(value, list) else [value]
    number = value if isinstance(value, int | float) else None
    return (
        is_a(value, given.type)
        and (given.items is None or all(is_a(item, given.items) for item in values))
        and (not given.options or given.is_open or set(map(str, values)) <= set(given.options))
        and (number is None or given.minimum is None or number >= given.minimum)
        and (number is None or given.maximum is None or number <= given.maximum)
        and (given.pattern is None or re.search(given.pattern, str(value)) is not None)
    )


def misfits(values: JsonObject, fields: tuple[Field, ...]) -> list[str]:
    """The names that are unknown, or whose value does not fit."""
    known = {given.name: given for given in fields}
    return [
        name for name, value in values.items() if name not in known or not fits(value, known[name])
    ]


def missing(values: JsonObject, fields: tuple[Field, ...]) -> list[str]:
    return [given.name for given in fields if given.required and given.name not in values]


@pytest.mark.requirement("004:registry.types", "004:registry.all")
def test_the_types_and_subtypes_come_in_the_seeds_order() -> None:
    types = Catalog(node.spec for node in NODES).types()
    assert list(types) == list(SEED_TYPES)
    for node_type, subtypes in SEED_TYPES.items():
        assert types[node_type][: len(subtypes)] == subtypes


def test_the_order_names_what_the_seed_lists() -> None:
    listed = [f"{kind}.{subtype}" for kind, subtypes in SEED_TYPES.items() for subtype in subtypes]
    assert list(SEED_ORDER) == listed


def test_nodes_the_seed_does_not_know_come_last_in_their_type_by_name() -> None:
    def spec(subtype: str) -> NodeSpec:
        return NodeSpec(type="FLOW", subtype=subtype, summary="Does it.", effect="pure")

    given = [spec("SWITCH"), spec("DELAY"), spec("FOR_EACH"), spec("IF")]
    assert [one.subtype for one in sorted(given, key=place)] == [
        "IF",
        "DELAY",
        "FOR_EACH",
        "SWITCH",
    ]


def test_discovering_twice_gives_the_same_nodes() -> None:
    assert discover() == NODES


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is part of the room `nodes` for the time of a test."""
    monkeypatch.setattr(toolweave.nodes, "__path__", [*toolweave.nodes.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    before = set(sys.modules)
    yield tmp_path
    added = {name for name in set(sys.modules) - before if name.startswith("toolweave.nodes.")}
    for name in added:
        sys.modules.pop(name)
    for package in {name.split(".")[2] for name in added}:
        delattr(toolweave.nodes, package)


NEW_NODE = """
from toolweave.catalog.spec import NodeSpec
class Echo:
    spec = NodeSpec(type="FLOW", subtype="ECHO", summary="Says it again.", effect="pure")
node = Echo()
"""


def _package(folder: Path, name: str, **modules: str) -> None:
    (folder / name).mkdir()
    for module, text in {"__init__": "", **modules}.items():
        (folder / name / f"{module}.py").write_text(text, encoding="utf-8")


def test_a_module_in_the_folder_is_found_and_one_without_a_node_is_not(room: Path) -> None:
    _package(room, "extra", echo=NEW_NODE, words="WORDS = ('a',)")
    found = {node.spec.ref for node in discover()}
    assert found - {node.spec.ref for node in NODES} == {"FLOW.ECHO"}


def test_a_module_that_cannot_be_imported_is_not_passed_over(room: Path) -> None:
    _package(room, "broken_module", bad="import a_package_nobody_has")
    with pytest.raises(ModuleNotFoundError, match="a_package_nobody_has"):
        discover()


def test_a_package_that_cannot_be_imported_is_not_passed_over(room: Path) -> None:
    _package(room, "broken_package", __init__="import a_package_nobody_has")
    with pytest.raises(ModuleNotFoundError, match="a_package_nobody_has"):
        discover()


@of_each
def test_a_node_is_in_the_file_of_its_name(node: Node) -> None:
    spec = node.spec
    module = type(node).__module__.removesuffix("_")
    assert module == f"toolweave.nodes.{FOLDERS[spec.type]}.{spec.subtype.lower()}"


@of_each
def test_its_summary_is_one_short_sentence(node: Node) -> None:
    summary = node.spec.summary
    assert re.fullmatch(r"[A-Z][^\n]{9,138}\.", summary)
    assert ". " not in summary


@of_each
def test_its_fields_are_described_briefly_and_named_once(node: Node) -> None:
    spec = node.spec
    long = [given.name for given in all_fields(spec) if not 0 < len(given.description) <= 160]
    assert long == []
    for fields in (spec.all_configurations, spec.inputs, spec.outputs):
        names = [name for given in fields for name in (given.name, *given.aliases)]
        assert len(names) == len(set(names))


@of_each
def test_it_can_be_searched_for(node: Node) -> None:
    spec = node.spec
    assert 5 <= len(set(spec.keywords)) == len(spec.keywords) <= 12
    assert 2 <= len(set(spec.tags)) == len(spec.tags) <= 5
    assert all(word == word.lower().strip() != "" for word in (*spec.keywords, *spec.tags))


@of_each
def test_its_defaults_fit_their_own_fields(node: Node) -> None:
    given = [given for given in all_fields(node.spec) if given.default is not None]
    assert [one.name for one in given if not fits(one.default, one)] == []


@of_each
def test_its_examples_give_what_is_required_and_nothing_unknown(node: Node) -> None:
    spec = node.spec
    assert spec.examples
    for example in spec.examples:
        assert missing(example.configurations, spec.all_configurations) == []
        assert misfits(example.configurations, spec.all_configurations) == []
        assert missing(example.input_params, spec.inputs) == []
        assert misfits(example.input_params, spec.inputs) == []


@of_each
def test_what_its_examples_expect_is_among_its_outputs_and_ports(node: Node) -> None:
    spec = node.spec
    ports = {port.name for port in spec.output_ports}
    for example in spec.examples:
        assert misfits(example.expected_output or {}, spec.outputs) == []
        assert example.port in ports


@of_each
def test_its_secrets_are_marked_and_no_example_holds_one(node: Node) -> None:
    configurations = node.spec.configurations
    sensitive = {given.name for given in configurations if given.sensitive}
    secret = {
        given.name
        for given in configurations
        if given.type in {"string", "object"} and SECRET_NAME.search(given.name)
    }
    assert secret <= sensitive
    for example in node.spec.examples:
        for name in sensitive & example.configurations.keys():
            value = example.configurations[name]
            assert not isinstance(value, str) or value.startswith("${vault:")


@of_each
def test_it_serialises_to_json_and_back(node: Node) -> None:
    body = serialise(node.spec)
    assert read(canonical(body)) == body


def test_the_check_of_a_value_sees_every_kind_of_fault() -> None:
    number = Field("n", "integer", "A number.", minimum=1, maximum=3)
    choice = Field("c", "array", "Some of two.", options=("a", "b"), items="string")
    model = Field("m", "string", "A model.", options=("x",), is_open=True)
    path = Field("p", "string", "A path.", required=True, pattern="^/")
    fields = (number, choice, model, path)
    good: JsonObject = {"n": 2, "c": ["a"], "m": "y", "p": "/x"}
    assert misfits(good, fields) == missing(good, fields) == []
    bad: list[JsonObject] = [
        *({"n": 0}, {"n": 4}, {"n": True}, {"n": 1.5}, {"n": "2"}),
        *({"c": ["z"]}, {"c": "a"}, {"c": [1]}, {"p": "x"}, {"unknown": 1}),
    ]
    assert [misfits(values, fields) for values in bad] == [list(values) for values in bad]
    assert missing({}, fields) == ["p"]
