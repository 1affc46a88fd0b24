"""Sections of documents bound to servers, as `doc bind`, `doc check` and `doc run` see them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool

__all__ = ["tw"]

BARE = "```tool\ntool: echo\n```\n"
TEXT = f"""# Plan

{BARE}
## Flights

{BARE}
### Seats

{BARE}
^seat-map

## Hotels

{BARE}
"""
mark = pytest.mark


@pytest.fixture
def servers(tw: Commands, tmp_path: Path) -> None:
    for name in ("air", "bus"):
        tw.add(name, ScriptedServer(tmp_path / name, a_tool("echo")))
    (tw.project / "trip.md").write_text(TEXT, encoding="utf-8")


def used(tw: Commands) -> list[str | None]:
    """The server of each block."""
    checked = tw("doc", "check", "trip.md", "--json").json
    return [block["server"] for block in checked[0]["blocks"]]


BINDINGS = [
    pytest.param(
        ["--heading", "Flights"],
        ["air", "bus", "bus", "air"],
        marks=mark.requirement(
            "002:SectionBinding.headingText",
            "002:SectionBinding.inheritance",
            "002:MCPServerConfig.sectionBindings",
        ),
    ),
    pytest.param(
        ["--heading", "## Flights", "--no-inherit"],
        ["air", "bus", "air", "air"],
        marks=mark.requirement("002:SectionBinding.inheritToChildren"),
    ),
    pytest.param(
        ["--block", "^seat-map"],
        ["air", "air", "bus", "air"],
        marks=mark.requirement("002:SectionBinding.blockId", "002:SectionBinding.sectionType"),
    ),
    pytest.param(
        ["--lines", "19-26"],
        ["air", "air", "air", "bus"],
        marks=mark.requirement(
            "002:SectionBinding.startLine",
            "002:SectionBinding.endLine",
            "002:SectionBinding.sectionType",
        ),
    ),
]


@pytest.mark.parametrize(("section", "expected"), BINDINGS)
@pytest.mark.usefixtures("servers")
def test_the_blocks_of_a_bound_section_use_its_server(
    tw: Commands, section: list[str], expected: list[str]
) -> None:
    assert used(tw) == ["air"] * 4
    bound = tw.ok("doc", "bind", "trip.md", *section, "--server", "bus", "--json").json
    assert bound["sectionType"] == {"--heading": "heading", "--block": "block"}.get(
        section[0], "range"
    )
    assert used(tw) == expected
    tw.ok("doc", "run", "trip.md")
    # The results between the blocks move no line of a binding.
    assert used(tw) == expected
    tw.ok("doc", "unbind", "trip.md", bound["id"])
    assert used(tw) == ["air"] * 4


@pytest.mark.requirement("002:SectionBinding.headingText", "002:SectionBinding.blockId")
@pytest.mark.usefixtures("servers")
def test_a_section_that_is_not_there_cannot_be_bound(tw: Commands) -> None:
    for section in (("--heading", "Fligts"), ("--heading", "# Flights"), ("--block", "seat")):
        ran = tw("doc", "bind", "trip.md", *section, "--server", "bus")
        assert (ran.code, "[DOCUMENT_SECTION_NOT_FOUND]" in ran.err) == (1, True)
    assert used(tw) == ["air"] * 4


@pytest.mark.requirement("002:SectionBinding.exactly-one", "002:SectionBinding.endLine")
@pytest.mark.parametrize(
    "section",
    [
        {},
        {"heading": "Flights", "block": "seat-map"},
        {"heading": "Flights", "lines": "1-4"},
        {"lines": "9-4"},
        {"lines": "4-4"},
        {"startLine": 4},
        {"sectionType": "block", "headingText": "Flights"},
    ],
)
@pytest.mark.usefixtures("servers")
def test_a_binding_has_exactly_one_way_to_its_section(
    tw: Commands, section: dict[str, Any]
) -> None:
    entry = json.dumps({"server": "bus", **section})
    front = f"---\ntoolweave:\n  bindings: [{entry}]\n---\n"
    (tw.project / "trip.md").write_text(front + TEXT, encoding="utf-8")
    ran = tw("doc", "check", "trip.md", "--json")
    assert ran.code == 1
    assert "DOCUMENT_BINDING_INVALID" in {one["code"] for one in ran.json[0]["problems"]}
    # A block of which the server is unknown has none.
    assert None in used(tw)
    options = [f"--{key}={value}" for key, value in section.items()]
    if not {"startLine", "sectionType"} & section.keys():
        assert tw("doc", "bind", "trip.md", *options, "--server", "bus").code == 1


@pytest.mark.requirement("002:way.user.code-block")
@pytest.mark.usefixtures("servers")
def test_a_block_of_a_server_without_a_tool_is_reported(tw: Commands) -> None:
    blocks = ("air\ncity: London", "tool\ncity: London", "air\nno yaml at all", "air\ntool: echo")
    text = "\n".join(f"```{block}\n```\n" for block in blocks)
    (tw.project / "trip.md").write_text(text, encoding="utf-8")
    [checked] = tw.ok("doc", "check", "trip.md", "--json").json
    assert [block["line"] for block in checked["blocks"]] == [13]
    missing = "DOCUMENT_TOOL_MISSING"
    assert [(one["code"], one["pointer"]) for one in checked["problems"]] == [
        (missing, "/lines/1"),
        (missing, "/lines/5"),
    ]


@pytest.mark.usefixtures("servers")
def test_a_placeholder_in_a_block_is_reported(tw: Commands) -> None:
    texts = ("plain {a}", '"{{ weather.text }}"', "${city}", "${vault:key}")
    blocks = "\n".join(f"```air\ntool: echo\ntext: {one}\n```\n" for one in texts)
    (tw.project / "trip.md").write_text(blocks, encoding="utf-8")
    [checked] = tw.ok("doc", "check", "trip.md", "--json").json
    found = [one["pointer"] for one in checked["problems"] if one["code"] == "DOCUMENT_PLACEHOLDER"]
    assert found == ["/lines/6", "/lines/11"]
