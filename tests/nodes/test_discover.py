"""Which nodes are found, and in which order."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolweave.nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import NodeSpec
from toolweave.nodes import discover
from toolweave.nodes.order import CATALOG_ORDER, place

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

NODES = discover()


def test_the_types_and_subtypes_come_in_the_seeds_order() -> None:
    types = Catalog(node.spec for node in NODES).types()
    assert list(types) == [*SEED_TYPES, "MCP"]
    for node_type, subtypes in SEED_TYPES.items():
        assert types[node_type][: len(subtypes)] == subtypes


def test_the_order_names_what_the_seed_lists() -> None:
    listed = [f"{kind}.{subtype}" for kind, subtypes in SEED_TYPES.items() for subtype in subtypes]
    assert list(CATALOG_ORDER) == listed


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
