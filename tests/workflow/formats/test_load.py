"""Hostile and hopeless input: problems with places, never an exception, never a long wait."""

import json
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.strategies import JSON

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.format import FORMAT_NAMES
from toolweave.workflow.formats.load import MAX_BYTES, MAX_DEPTH, convert, dump, load, read
from toolweave.workflow.formats.toolweave import format as toolweave
from toolweave.workflow.model import Workflow, WorkflowId


def _codes(text: str | bytes) -> list[tuple[str, str]]:
    return [(problem.code, problem.pointer) for problem in load(text).problems]


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def _drawn(nodes: list[Json], **fields: Json) -> JsonObject:
    return {"id": "w", "name": "w", "version": "1", "nodes": nodes, "connections": [], **fields}


def test_there_are_four_dialects_and_ours_comes_first() -> None:
    assert tuple(format.name for format in discover()) == FORMAT_NAMES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "hello there",
        "{",
        '{"nodes": [1,,]}',
        '{"nodes": NaN}',
        '{"nodes": "\\ud800"}',
        "{'nodes': [}",
        "\ud800",
        b"\xff\xfe{\x00}\x00",
        b'{"nodes": "\xff"}',
        "[" * 100_000,
        _nested(100_000),
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '{"a":' * 1_000 + "1" + "}" * 1_000,
        _nested(1_000),
        "a: &x [1]\nb: *x\n",
        "a: !!python/object/apply:os.system [id]\n",
        "- " * 5_000,
    ],
)
def test_text_that_is_neither_json_nor_yaml_as_we_read_them_is_one_problem(
    text: str | bytes,
) -> None:
    loaded = load(text)
    assert [problem.code for problem in loaded.problems] == ["WORKFLOW_NOT_JSON"]
    assert (loaded.workflow.nodes, loaded.problems[0].severity) == ((), "error")


@pytest.mark.parametrize(
    "text",
    ["5", "null", '"text"', "[]", "{}", '{"nodes": 5}', '{"a": {"nodes": []}}', "a: 1\nb: [2]\n"],
)
def test_json_that_is_no_workflow_is_said_to_be_none(text: str) -> None:
    assert _codes(text) == [("WORKFLOW_UNKNOWN_DIALECT", "")]


def test_a_key_that_is_there_twice_is_named_by_its_place() -> None:
    text = '{"nodes": [{"id": "a"}, {"id": "b", "data": {"x/y": 1, "x/y": 2}}]}'
    assert _codes(text) == [("WORKFLOW_NOT_JSON", "/nodes/1/data/x~1y")]


def test_escaped_quotes_do_not_hide_a_key_that_is_there_twice() -> None:
    hidden = '{"name": "\\u0022\\u0022", "nodes": [], "nodes": [], "connections": []}'
    assert _codes(hidden) == [("WORKFLOW_NOT_JSON", "/nodes")]


def test_strings_full_of_quotes_and_escapes_are_no_key_twice() -> None:
    odd = 'say "hi" \\" \\\\ \u0022 {[}] \n'
    document = _drawn([], description=odd)
    loaded = load(json_text.write(document))
    assert (loaded.problems, loaded.workflow.description) == ((), odd)


@pytest.mark.parametrize(("depth", "codes"), [(MAX_DEPTH - 3, []), (MAX_DEPTH + 1, None)])
def test_nesting_is_bounded(depth: int, codes: list[str] | None) -> None:
    text = f'{{"id":"w","name":"w","version":"1","nodes":[],"connections":[],"x":{_nested(depth)}}}'
    found = [problem.code for problem in load(text).problems]
    assert found == (["WORKFLOW_NOT_JSON"] if codes is None else codes)


def test_reading_a_wide_and_deep_file_takes_memory_for_the_file_only() -> None:
    deep = "[" * 90 + ",".join("0" * 500_000) + "]" * 90
    text = f'{{"id":"w","name":"w","version":"1","nodes":[],"connections":[],"x":{deep}}}'
    tracemalloc.start()
    try:
        load(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Written with an indentation it takes 400 times its length. Without it orjson reserves 138
    # times the length of such a list and writes to a hundredth of that: a file of 15 MiB needs
    # 200 MiB, all of them to read it.
    assert peak < 200 * len(text)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("depth", "is_read"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_the_limit_of_depth_is_the_same_in_every_layout(
    indent: int | None, depth: int, is_read: bool
) -> None:
    document: Json = _drawn([], x=json_text.read(_nested(depth)))
    loaded = load(json.dumps(document, indent=indent, separators=None if indent else (",", ":")))
    assert [problem.code for problem in loaded.problems] == (
        [] if is_read else ["WORKFLOW_NOT_JSON"]
    )


def test_what_is_too_deep_is_named_by_its_place() -> None:
    text = f'{{"nodes": [], "x": [1, {{}}, {{"y/z": {_nested(MAX_DEPTH)}}}]}}'
    [(code, place)] = _codes(text)
    assert (code, place[:10], place.count("/")) == ("WORKFLOW_NOT_JSON", "/x/2/y~1z/", MAX_DEPTH)


def test_a_file_at_the_limit_of_depth_can_be_converted_and_read_again() -> None:
    deep = json_text.read(_nested(MAX_DEPTH - 3))
    node: Json = {"id": "a", "type": "prompt", "name": "a", "data": [deep]}
    document = _drawn([node], description=[deep])
    for name in FORMAT_NAMES:
        there = dump(load(json_text.write(document)).workflow, name)
        assert convert(load(there).workflow, "toolweave") == document


def test_millions_of_faults_are_counted_not_listed() -> None:
    problems = load('{"nodes": [' + "1," * 300_000 + "1]}").problems
    assert len(problems) < 1_100
    assert (problems[-1].code, problems[-1].message[:7]) == ("PROBLEMS_LEFT_OUT", "299005 ")


def test_elements_without_ids_get_them_in_one_pass() -> None:
    edges: list[Json] = [{"from": "a", "to": "b"}] * 20_000
    loaded = load(json_text.write(_drawn([], connections=edges)))
    assert loaded.workflow.edges[-1].id == "a->b-20000"


@pytest.mark.parametrize(
    ("number", "is_rounded"),
    [("123456789012345678901234", True), ("18446744073709551615", False)],
)
def test_a_number_that_cannot_be_kept_is_a_warning(number: str, is_rounded: bool) -> None:
    text = json_text.write(_drawn([], note="n: 123456789012345678901234,"))
    codes = [code for code, _ in _codes(text.replace('"w",', f'"w", "big": {number},', 1))]
    assert codes == (["NUMBER_ROUNDED"] if is_rounded else [])


def test_a_text_over_the_limit_is_not_even_parsed() -> None:
    assert _codes(b"[" * (MAX_BYTES + 1)) == [("WORKFLOW_TOO_LARGE", "")]


def test_a_byte_order_mark_is_passed_over() -> None:
    assert load(b"\xef\xbb\xbf" + json_text.write(_drawn([])).encode()).problems == ()


def test_ten_thousand_nodes_in_one_line_are_read_with_each_odd_one_named() -> None:
    nodes: list[Json] = [{"id": f"n{at}", "type": "prompt", "data": {}} for at in range(10_000)]
    nodes[7_000] = {"id": "n1", "type": "prompt", "data": {}}
    edges: list[Json] = [
        {"id": f"e{at}", "from": f"n{at}", "to": f"n{at + 1}"} for at in range(9_999)
    ]
    loaded = load(json_text.write(_drawn(nodes, connections=edges)))
    assert (len(loaded.workflow.nodes), len(loaded.workflow.edges)) == (10_000, 9_999)
    assert [(problem.code, problem.pointer) for problem in loaded.problems] == [
        ("NODE_ID_DUPLICATE", "/nodes/7000/id")
    ]


@pytest.mark.parametrize(
    "parents", [{"a": "a"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "b"}]
)
def test_groups_that_stand_in_themselves_are_one_problem(parents: dict[str, str]) -> None:
    nodes: list[Json] = [
        {"id": node, "type": "group", "data": {}, "parentId": parent}
        for node, parent in parents.items()
    ]
    problems = read(_drawn(nodes)).problems
    assert [problem.code for problem in problems] == ["GROUP_CYCLE"]
    assert problems[0].pointer in {"/nodes/0", "/nodes/1"}


def test_ten_thousand_groups_in_one_another_are_no_problem() -> None:
    nodes: list[Json] = [
        {"id": f"g{at}", "type": "group", "data": {}, "parentId": f"g{at + 1}"}
        for at in range(10_000)
    ]
    assert read(_drawn(nodes)).problems == ()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "C:\\temp", ".", ".."])
def test_a_name_that_looks_like_a_path_is_a_warning(name: str) -> None:
    problems = read(_drawn([]) | {"name": name}).problems
    assert [(found.code, found.pointer, found.severity) for found in problems] == [
        ("WORKFLOW_NAME_PATH", "/name", "warning")
    ]


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\u202e", "\u200b", "\u2066", "\x85"])
def test_characters_nobody_sees_are_a_warning_in_names_and_ids(character: str) -> None:
    node: Json = {"id": f"a{character}", "type": "start", "name": f"b{character}", "data": {}}
    problems = read(_drawn([node]) | {"name": f"w{character}"}).problems
    assert [(found.code, found.pointer) for found in problems] == [
        ("TEXT_UNSEEN_CHARACTERS", "/name"),
        ("TEXT_UNSEEN_CHARACTERS", "/nodes/0/id"),
        ("TEXT_UNSEEN_CHARACTERS", "/nodes/0/name"),
    ]


def test_names_in_any_script_are_fine() -> None:
    nodes: list[Json] = [
        {"id": "a", "type": "start", "name": name, "data": {}}
        for name in ("検索", "بحث", "می‌خواهم", "👩‍🔬 lab", "naïve café")
    ]
    codes = {problem.code for problem in read(_drawn(nodes)).problems}
    assert "TEXT_UNSEEN_CHARACTERS" not in codes


def test_a_yaml_name_makes_plain_text_yaml() -> None:
    text = "name: w\nid: w\nversion: '1'\nnodes: []\nconnections: []\n"
    assert load(text, name_hint="flow.YAML").problems == load(text).problems == ()


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Invalid) as caught:
        convert(Workflow(WorkflowId("w"), "w"), "xml")  # pyright: ignore[reportArgumentType] # wrong on purpose
    assert caught.value.code == "FORMAT_UNKNOWN"
    assert caught.value.hint == "choose one of toolweave, ccwf, flow, agent-team"


def test_a_pointer_into_the_canonical_document_leads_to_the_file() -> None:
    document: Json = {"flows": [{"meta": {"name": "F"}, "nodes": [{"id": "a"}], "edges": [{}]}]}
    places = read(document).places
    assert places.original("/name") == "/flows/0/meta/name"
    assert places.original("/nodes/0/name") == "/flows/0/nodes/0/data/label"
    assert places.original("/nodes/0/data/x~1y") == "/flows/0/nodes/0/data/x~1y"
    assert places.original("/connections/0/from") == "/flows/0/edges/0/source"
    assert places.original("/nodes/99/id") == "/flows/0/nodes/99/id"
    assert places.original("") == "/flows/0"


@steady(150)
@given(st.text(max_size=60) | st.binary(max_size=60))
def test_no_text_makes_loading_raise(text: str | bytes) -> None:
    assert dump(load(text).workflow, "toolweave")


@steady(150)
@given(JSON)
def test_no_json_makes_loading_raise_and_every_problem_has_a_place(document: Json) -> None:
    for problem in load(json_text.write(document)).problems:
        assert problem.pointer == "" or problem.pointer.startswith("/")
        assert problem.message


HOSTILE: dict[str, Callable[[], Json]] = {
    "a list of indices": lambda: {"at": {"/nodes/" + "9" * 5_000: {"as": 1}}},
    "a long way": lambda: {"at": {"/a" * 50_000: {"was": 1, "as": 2}}},
    "no objects": lambda: {"at": [1], "order": {"": 5}},
    "the whole": lambda: {"at": {"": {"was": None, "as": 5}}},
}


@pytest.mark.parametrize("changes", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_memory_of_spellings_does_no_harm(changes: Callable[[], Json]) -> None:
    aside: Json = {"spelling": {name: changes() for name in FORMAT_NAMES}, "exact": changes()}
    node: Json = {"id": "a", "type": "start", "name": "a", "data": {}, "x-toolweave": aside}
    document = _drawn([node], **{"x-toolweave": aside})
    workflow = toolweave.read(document).workflow
    assert toolweave.write(workflow) == document
    for format in discover():
        assert format.read(format.write(workflow)).workflow == workflow
