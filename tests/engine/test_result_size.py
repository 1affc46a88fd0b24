"""The size of results: large ones are measured beside the event loop, and once."""

import anyio
import pytest

from toolweave.engine.heavy_work import LARGE, MAX_RESULT_BYTES
from toolweave.engine.result_size import MAX_DEPTH, ResultSizes
from toolweave.json_text import Json

pytestmark = pytest.mark.anyio


def _large(times: int = 1) -> list[Json]:
    return ["x" * 1_000 for _ in range(times * LARGE // 1_000)]


async def test_a_size_measured_ahead_is_not_measured_again() -> None:
    sizes, lane = ResultSizes(), anyio.CapacityLimiter(1)
    value: Json = {"data": _large()}
    plain = ResultSizes().of(value)
    assert plain is not None
    await sizes.measure_ahead(value, lane)
    assert isinstance(value["data"], list)
    # What is read again would be longer now.
    value["data"].append("y" * 1_000)
    assert sizes.of(value) == plain
    assert ResultSizes().of(value) == plain + 1_000 + 16


async def test_a_value_too_large_or_too_deep_is_refused_as_without() -> None:
    lane = anyio.CapacityLimiter(1)
    deep: Json = _large()
    for _ in range(MAX_DEPTH):
        deep = [deep]
    refused: list[Json] = [deep, {"data": deep}, _large(MAX_RESULT_BYTES // LARGE + 1)]
    for value in refused:
        sizes = ResultSizes()
        assert sizes.of(value) is None
        await sizes.measure_ahead(value, lane)
        assert sizes.of(value) is None
    assert ResultSizes().of(_large()) is not None


def test_a_member_that_the_next_step_passes_on_is_known() -> None:
    sizes, items = ResultSizes(), _large()
    first = sizes.of({"data": items, "count": 2})
    assert first is not None
    items.append("y" * 1_000)
    # The list is not read again, wherever it is now.
    assert sizes.of({"result": {"list": items}}) == first - len("datacount") + len("resultlist")
    assert sizes.of(items) == first - 2 * 16 - len("datacount")


def test_a_member_that_is_there_twice_counts_twice() -> None:
    items = _large()
    one, two = ResultSizes().of({"a": items}), ResultSizes().of({"a": items, "b": items})
    assert one is not None
    assert two == 2 * one
