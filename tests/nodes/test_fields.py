"""Every field of a node does something, and every value it may have: the rows of `proof/`."""

import re
from collections.abc import AsyncGenerator, Iterator

import pytest
from tests.nodes.exercising import MARK, claims_of
from tests.nodes.proof.rows import Row, all_rows
from tests.nodes.proof.running import Bench, open_bench
from tests.seeds.marks import scan
from tests.seeds.plugin import TESTS

from toolweave.catalog.schema import field_schema
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.tools.schema import compile_schema

pytestmark = pytest.mark.anyio

ROWS = list(all_rows())
SPECS = [node.spec for node in discover()]
PROVED = [spec for spec in SPECS if spec.type in {"FLOW", "ACTION", "TRIGGER", "MEMORY"}]
# Shown by the pages, and proven by their tests.
ON_PAGES = {"TRIGGER.MANUAL.description": "web/src/model/inputs.test.ts"}
# What a node says itself that it does not read.
UNREAD = re.compile(r"; (they are )?not (used|merged)\.$")


@pytest.fixture(scope="module")
async def bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Bench]:
    async with open_bench(tmp_path_factory.mktemp("bench")) as opened:
        yield opened


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.whole)
async def test_each_value_of_a_field_gives_what_it_should(row: Row, bench: Bench) -> None:
    for value, expected in row.gives:
        assert await bench.try_value(row, value) == expected, f"for {value!r}"


async def test_a_disabled_node_of_any_kind_is_passed_over(bench: Bench) -> None:
    specs = [spec for spec in SPECS if spec.type != "TRIGGER"]
    ways = {spec.ref: await bench.passed_over(spec, {"a": [1]}) for spec in specs}
    # Nobody decides for a person.
    people = {spec.ref: list[str]() for spec in specs if spec.type == "HUMAN_IN_THE_LOOP"}
    assert {ref: ports for ref, ports in ways.items() if ports != ["output"]} == {
        **people,
        "FLOW.IF": ["true"],
        "FLOW.SWITCH": ["case-0"],
        "FLOW.LOOP": ["done"],
        "FLOW.FOR_EACH": ["done"],
    }


def test_no_field_takes_a_value_outside_of_its_limits_and_options() -> None:
    """What a check of the workflow refuses; what a template gives is held to the same."""
    taken: list[str] = []
    for spec in SPECS:
        for name, one in _fields(spec):
            schema = compile_schema(field_schema(one))
            bad: list[Json] = []
            if one.minimum is not None:
                bad.append(one.minimum - 1)
            if one.maximum is not None:
                bad.append(one.maximum + 1)
            if one.options and not one.is_open:
                bad.append(["no such option"] if one.type == "array" else "no such option")
            taken += [f"{name}: {value}" for value in bad if schema.judge(value).verdict == "valid"]
    assert taken == []


def test_every_row_shows_a_difference() -> None:
    same = [row.whole for row in ROWS if len({repr(expected) for _, expected in row.gives}) < 2]
    assert same == []


def _fields(spec: NodeSpec) -> Iterator[tuple[str, Field]]:
    for one in spec.configurations:
        yield f"{spec.ref}.{one.name}", one
    for one in spec.inputs:
        yield f"{spec.ref}.inputs.{one.name}", one


def _wanted(spec: NodeSpec) -> Iterator[str]:
    for name, one in _fields(spec):
        if name not in ON_PAGES and not UNREAD.search(one.description):
            yield name
            if not one.is_open:  # else they are suggestions
                yield from (f"{name}={option}" for option in one.options)


def _known(spec: NodeSpec) -> frozenset[str]:
    return frozenset(name for name, _ in _fields(spec))


@pytest.fixture(scope="module")
def proven() -> frozenset[str]:
    marks = scan(TESTS, MARK)
    assert marks.faults == ()
    return frozenset[str]().union(*map(claims_of, marks.tested), *(row.claims() for row in ROWS))


@pytest.mark.parametrize("spec", PROVED, ids=lambda spec: spec.ref)
def test_every_field_and_every_value_of_it_is_proven(
    spec: NodeSpec, proven: frozenset[str]
) -> None:
    assert [one for one in _wanted(spec) if one not in proven] == []


def test_nothing_is_proven_that_does_not_exist(proven: frozenset[str]) -> None:
    known = frozenset[str]().union(*map(_known, SPECS))
    assert [one for one in sorted(proven) if one.partition("=")[0] not in known] == []


@pytest.mark.parametrize(("name", "path"), ON_PAGES.items())
def test_what_the_pages_show_is_tested_there(name: str, path: str) -> None:
    tested = (TESTS.parent / path).read_text(encoding="utf-8")
    assert name.rpartition(".")[2] in tested
