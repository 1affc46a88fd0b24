"""Specifications from the home's cache are those of the nodes, whatever the file is like."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest

from toolweave.nodes import discover
from toolweave.nodes.spec_cache import FILE, DeferredChecks, cached_specs


def test_specifications_are_the_same_from_the_cache(tmp_path: Path) -> None:
    fresh = cached_specs(tmp_path)
    assert (tmp_path / FILE).exists()
    kept = cached_specs(tmp_path)
    assert kept == fresh == tuple(node.spec for node in discover())
    assert any(isinstance(spec.checks, DeferredChecks) for spec in kept)
    assert [list(spec.checks) for spec in kept] == [list(spec.checks) for spec in fresh]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"state": 1, "specs": []}', b'{"specs": [{}]}']
)
def test_a_damaged_or_stale_cache_is_replaced(tmp_path: Path, content: bytes) -> None:
    fresh = cached_specs(tmp_path)
    sound = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content)
    assert cached_specs(tmp_path) == fresh
    assert (tmp_path / FILE).read_bytes() == sound


def test_a_cache_of_unknown_fields_is_replaced(tmp_path: Path) -> None:
    fresh = cached_specs(tmp_path)
    sound = (tmp_path / FILE).read_bytes()
    kept = orjson.loads(sound)
    kept["specs"][0]["colour"] = "red"
    (tmp_path / FILE).write_bytes(orjson.dumps(kept))
    assert cached_specs(tmp_path) == fresh
    assert (tmp_path / FILE).read_bytes() == sound


def test_no_cache_is_needed(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    missing = tmp_path / "no home"
    assert cached_specs(tmp_path) == cached_specs(missing) == cached_specs(None)
    assert not missing.exists()
    assert os.listdir(tmp_path) == ["cache"]


def test_many_at_once_leave_one_sound_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = {len(specs) for specs in threads.map(cached_specs, [tmp_path] * 16)}
    assert found == {len(discover())}
    assert os.listdir(tmp_path / "cache") == ["nodes.json"]
