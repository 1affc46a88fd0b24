"""The size of values, against a plain count of the same."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from toolweave.engine.heavy_work import ITEM
from toolweave.engine.result_size import MAX_DEPTH, ResultSizes
from toolweave.json_text import Json
from toolweave.tools.size import FEW, Size, size_of

MANY = 10_000

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


# Long lists of one kind and of several, which are counted in two ways.
def _long_lists(length: int) -> list[Json]:
    shared: list[Json] = [{"n": {}}]
    return [
        [{"n": at, "t": "ä" * at} for at in range(length)],
        [{"in": {"n": at, "list": [at, None]}} for at in range(length)],
        [*range(length)],
        ["x" * at for at in range(length)],
        [{"n": 1}, *range(length)],
        [["y"], "x", *({} for _ in range(length))],
        shared * length,
    ]


_LONG = st.integers(min_value=1, max_value=3 * FEW).map(_long_lists).flatmap(st.sampled_from)
VALUES: st.SearchStrategy[Json] = st.recursive(
    _SCALARS | _LONG,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def enumerated(values: list[Json]) -> Iterator[tuple[str, Json]]:
    """Keys for some values."""
    return ((str(at), one) for at, one in enumerate(values))


def _counted(value: Json) -> Size:
    """The size, counted in the simplest way."""
    if isinstance(value, str):
        return Size(1, len(value), 1)
    inner: list[Json] = []
    if isinstance(value, list):
        inner = value
    elif isinstance(value, dict):
        inner = list(value.values())
    found = [_counted(one) for one in inner]
    chars = sum(map(len, value)) if isinstance(value, dict) else 0
    return Size(
        1 + sum(one.nodes for one in found),
        chars + sum(one.chars for one in found),
        1 + max((one.depth for one in found), default=0),
    )


@given(VALUES)
def test_size_is_that_of_a_plain_count(value: Json) -> None:
    assert size_of(value, max_nodes=MANY, max_depth=MANY) == _counted(value)


@given(VALUES)
def test_size_over_a_limit_is_none(value: Json) -> None:
    nodes, _, depth = _counted(value)
    assert size_of(value, max_nodes=nodes, max_depth=depth) is not None
    assert size_of(value, max_nodes=nodes - 1, max_depth=depth) is None
    assert size_of(value, max_nodes=nodes, max_depth=depth - 1) is None


@given(VALUES)
def test_result_takes_its_characters_and_something_for_each_member(value: Json) -> None:
    nodes, chars, _ = _counted(value)
    whole = chars + ITEM * (nodes - 1)
    assert ResultSizes().of(value) == whole
    assert ResultSizes().of(value, whole) == whole
    assert ResultSizes().of(value, whole - 1) is None


def test_result_of_many_wide_levels_is_refused_when_it_is_too_deep() -> None:
    def nested(levels: int) -> Json:
        value: Json = {}
        beside: list[Json] = [{} for _ in range(FEW)]
        for _ in range(levels - 2):
            value = dict(enumerated([value, *beside]))
        return [value, *beside]

    assert ResultSizes().of(nested(MAX_DEPTH)) is not None
    assert ResultSizes().of(nested(MAX_DEPTH + 1)) is None


def test_object_in_many_places_is_refused_before_it_is_taken_apart() -> None:
    shared: Json = dict(enumerated([None] * 2_000))
    level: list[Json] = [shared] * 2_000
    value: list[Json] = [dict(enumerated(level))] * 2_000  # eight thousand million members
    assert ResultSizes().of(value) is None
    assert size_of(value, max_nodes=1_000_000, max_depth=10) is None
