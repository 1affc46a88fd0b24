"""Specifications from the home's cache are those of the nodes, whatever the file is like."""

import importlib
import os
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import orjson
import pytest

import toolweave
from toolweave import nodes
from toolweave.nodes import discover, discover_modules, discover_plain
from toolweave.nodes.spec_cache import (
    FILE,
    DeferredChecks,
    cached_specs,
    module_of,
    package_state,
)


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


def test_an_installed_package_is_known_by_the_hashes_of_its_files(tmp_path: Path) -> None:
    def state(record: str, source: str) -> str:
        package = tmp_path / str(len(os.listdir(tmp_path))) / "toolweave"
        package.mkdir(parents=True)
        (package / "a.py").write_text(source)
        info = package.parent / f"toolweave-{toolweave.__version__}.dist-info"
        info.mkdir()
        (info / "RECORD").write_text(record)
        return package_state(package)

    installed = "toolweave/nodes/__init__.py,sha256=1,1\n"
    assert state(installed, "a = 1") == state(installed, "a = 22")
    assert state(installed, "a = 1") != state(installed.replace("=1", "=2"), "a = 1")
    # A checkout has no such list.
    assert state("_editable.py,sha256=1,1\n", "a = 1") != state("", "a = 22")


def test_a_cache_imports_no_other_code(tmp_path: Path) -> None:
    fresh = cached_specs(tmp_path)
    sound = (tmp_path / FILE).read_bytes()
    kept = orjson.loads(sound)
    kept["specs"][0]["module"] = "antigravity"
    (tmp_path / FILE).write_bytes(orjson.dumps(kept))
    assert cached_specs(tmp_path) == fresh
    assert (tmp_path / FILE).read_bytes() == sound


def test_every_node_is_found_by_its_module(tmp_path: Path) -> None:
    cached_specs(tmp_path)
    cached_specs(tmp_path)
    for module, node in discover_modules():
        assert module_of(node.spec.ref) == module
    assert module_of("ACTION.UNKNOWN") is None


def test_every_node_that_is_no_entry_of_the_catalog_is_found() -> None:
    found = {id(module.plain) for module in walked() if hasattr(module, "plain")}
    assert len(found) > 5
    assert {id(plain) for plain in discover_plain()} == found


def walked() -> list[ModuleType]:
    names = [one.name for one in pkgutil.walk_packages(nodes.__path__, "toolweave.nodes.")]
    return [importlib.import_module(name) for name in names if "._" not in name]
