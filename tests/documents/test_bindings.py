"""Which server a block uses: the nearest section that is bound, else the first enabled one."""

import pytest

from toolweave.documents.bindings import Bindings, front_bindings, read_binding
from toolweave.documents.block_plan import plan
from toolweave.documents.document import Document, read_document
from toolweave.documents.render import render_value
from toolweave.documents.results import with_results
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

BARE = "```tool\ntool: x\n```\n"
TEXT = f"""# Top

{BARE}
## Tools ##

{BARE}
### Inner

{BARE}
^here

## Other

{BARE}
```demo
tool: named
```
"""
SERVERS = {"demo", "a", "b", "c"}


def document(text: str = TEXT) -> Document:
    return read_document(text.encode(), SERVERS)


def servers(*bindings: Json, text: str = TEXT) -> list[str | None]:
    found = document(text)
    made = Bindings(found, [read_binding(one) for one in bindings])
    return [one.server for one in plan(found, made, "first")]


def test_without_a_binding_the_first_enabled_server_is_used() -> None:
    assert servers() == ["first", "first", "first", "first", "demo"]


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        ({"heading": "Tools", "server": "a"}, ["first", "a", "a", "first", "demo"]),
        ({"heading": "## Tools", "server": "a"}, ["first", "a", "a", "first", "demo"]),
        # A section that is not there may be any of them.
        ({"heading": "# Tools", "server": "a"}, [None] * 4 + ["demo"]),
        (
            {"headingText": "Tools", "serverId": "a", "inheritToChildren": False},
            ["first", "a", "first", "first", "demo"],
        ),
        ({"heading": "Top", "server": "a"}, ["a", "a", "a", "a", "demo"]),
        (
            {"heading": "Top", "server": "a", "inherit": False},
            ["a", "first", "first", "first", "demo"],
        ),
    ],
)
def test_a_heading_binds_its_section(binding: Json, expected: list[str | None]) -> None:
    assert servers(binding) == expected


def test_the_nearest_binding_wins_whatever_the_order() -> None:
    given: list[Json] = [
        {"heading": "Top", "server": "a"},
        {"heading": "Tools", "server": "b"},
        {"block": "here", "server": "c"},
    ]
    expected = ["a", "b", "c", "a", "demo"]
    assert servers(*given) == expected
    assert servers(*reversed(given)) == expected


def test_lines_are_counted_without_results() -> None:
    binding: Json = {"lines": "1-6", "server": "a"}
    assert servers(binding) == ["a", "first", "first", "first", "demo"]
    found = document()
    shown = {0: render_value("x\n" * 30, "t", "0" * 16)}
    longer = with_results(found, shown)
    assert servers(binding, text=longer) == ["a", "first", "first", "first", "demo"]
    second: Json = {"startLine": 9, "endLine": 12, "server": "b"}
    assert servers(second) == servers(second, text=longer)
    assert servers(second)[1] == "b"


@pytest.mark.parametrize(
    "wrong",
    [
        {"server": "a"},
        {"server": "a", "heading": "x", "block": "y"},
        {"server": "a", "heading": "x", "lines": "1-2"},
        {"server": "a", "lines": "5-2"},
        {"server": "a", "lines": "3-3"},
        {"server": "a", "lines": "x"},
        {"server": "a", "startLine": 3},
        {"heading": "x"},
        {"server": "", "heading": "x"},
        {"server": "a", "heading": "x", "more": 1},
        "text",
    ],
)
def test_a_binding_has_a_server_and_one_way_to_its_section(wrong: Json) -> None:
    with pytest.raises(Invalid) as refused:
        read_binding(wrong)
    assert refused.value.code == "DOCUMENT_BINDING_INVALID"
    kinds = [
        read_binding({"server": "a", **way}).section_type
        for way in ({"heading": "x"}, {"block": "y"}, {"lines": "1-2"})
    ]
    assert kinds == ["heading", "block", "range"]


def test_lost_sections_unknown_servers_and_crossing_ranges_are_told() -> None:
    bindings = [
        read_binding({"server": "a", "heading": "Deleted"}),
        read_binding({"server": "a", "block": "gone"}),
        read_binding({"server": "a", "lines": "500-600"}),
        read_binding({"server": "nobody", "heading": "Top"}),
        read_binding({"server": "a", "lines": "1-10"}),
        read_binding({"server": "b", "lines": "5-20"}),
        read_binding({"server": "c", "lines": "6-9"}),
    ]
    found = Bindings(document(), bindings)
    codes = [problem.code for problem in found.problems(SERVERS)]
    assert codes == [
        *["DOCUMENT_BINDING_LOST"] * 3,
        "DOCUMENT_BINDING_SERVER_UNKNOWN",
        "DOCUMENT_BINDING_OVERLAP",
    ]


def test_the_shorter_of_two_crossing_ranges_holds() -> None:
    first: Json = {"lines": "1-10", "server": "a"}
    second: Json = {"lines": "8-30", "server": "b"}
    assert servers(first, second)[:3] == ["a", "a", "b"]
    assert servers(second, first)[:3] == ["a", "a", "b"]


def test_bindings_may_stand_in_the_front_matter() -> None:
    front = (
        "---\ntitle: x\ntoolweave:\n  bindings:\n    - heading: Tools\n      server: b\n"
        "    - server: a\n---\n"
    )
    found = document(front + TEXT)
    bindings, broken = front_bindings(found)
    assert [one.server for one in bindings] == ["b"]
    assert [one.problem.pointer for one in broken] == ["/toolweave/bindings/1"]
    made = Bindings(found, bindings)
    assert [one.server for one in plan(found, made, None)][:2] == [None, "b"]


LISTED = "[{heading: Tools, server: b}]"


@pytest.mark.parametrize(
    "front",
    [
        "toolweave: &a [*a]",
        "toolweave: [",
        "toolweave: 3",
        "toolweave:\n  bindings: x",
        f"toolwave:\n  bindings: {LISTED}",
        f"title: x\nToolweave: {{bindings: {LISTED}}}",
        f"tool-weave: {{bindings: {LISTED}",
        f"bindings: {LISTED}",
    ],
)
def test_broken_front_matter_stops_the_blocks_that_name_no_server(front: str) -> None:
    found = document(f"---\n{front}\n---\n{TEXT}")
    bindings, broken = front_bindings(found)
    assert bindings == []
    assert [one.problem.code for one in broken] == ["DOCUMENT_BINDING_INVALID"]
    planned = plan(found, Bindings(found, bindings, broken), "first")
    assert [one.server for one in planned] == [None] * 4 + ["demo"]


@pytest.mark.parametrize(
    "front",
    [
        "title: Toolweave",
        "tools: [weave]",
        "toolbox: 3",
        "bindings: hard",
        "title: [",
        "- toolweave",
    ],
)
def test_front_matter_of_other_programs_binds_nothing(front: str) -> None:
    assert front_bindings(document(f"---\n{front}\n---\n{TEXT}")) == ([], [])


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        (
            {"heading": "Tools", "sever": "b"},
            ["'sever' is unknown; did you mean 'server'?", "'server' is missing"],
        ),
        ({"heading": "Tools", "server": "b", "x": 1}, ["'x' is unknown"]),
        ({"headng": "Tools", "server": "b"}, ["'headng' is unknown; did you mean 'heading'?"]),
    ],
)
def test_an_unknown_key_of_a_binding_is_named(given: JsonObject, messages: list[str]) -> None:
    with pytest.raises(Invalid) as raised:
        read_binding(given)
    assert [one.message for one in raised.value.problems] == messages


def test_many_sections_and_many_blocks_cost_no_more_than_their_sum() -> None:
    text = f"# A\n\n{BARE}" * 5_000
    found = document(text)
    many = [read_binding({"lines": f"{at}-{20_000 + at}", "server": "b"}) for at in range(1, 900)]
    made = Bindings(found, [*many, read_binding({"heading": "A", "server": "a"})])
    assert len(made.spans) == 5_899
    assert {one.server for one in plan(found, made, None)} == {"a"}
