"""The specifications of all nodes without importing the nodes, from a file in the home.

Importing every node takes longer than most commands. The file belongs to one state of this
package; a missing, stale or damaged one is replaced, and where it cannot be written nothing but
time is lost. A node's code is imported when its checks are first called.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast, overload

import orjson

import toolweave
from toolweave import nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import DataFormat, Example, Field, NodeSpec, Port, StaticCheck

FILE = "cache/nodes.json"
_MODULE, _CHECKS = "module", "checks"
_NODES = "toolweave.nodes."
# Of each record: fields that hold other records, and fields that are tuples of text.
_RECORDS: dict[type, dict[str, type]] = {
    NodeSpec: {
        "configurations": Field,
        "inputs": Field,
        "outputs": Field,
        "input_ports": Port,
        "output_ports": Port,
        "examples": Example,
    },
    Port: {"data_format": DataFormat},
}
_TEXTS: dict[type, tuple[str, ...]] = {
    NodeSpec: ("tags", "keywords", "attached_nodes"),
    Field: ("options", "not_built_in", "aliases", "kinds", "used_when"),
    Port: ("aliases", "used_when"),
    Example: ("also",),
    DataFormat: ("examples",),
}


class DeferredChecks(Sequence[StaticCheck]):
    """The static checks of a node whose code is imported when they are used."""

    def __init__(self, module: str, count: int) -> None:
        self._module = module
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> StaticCheck: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[StaticCheck]: ...
    def __getitem__(self, index: int | slice) -> StaticCheck | Sequence[StaticCheck]:
        """Import the node and return its checks."""
        return _spec_in(self._module).checks[index]


def built_in_catalog(home: Path | None = None) -> Catalog:
    """The nodes of this package."""
    return Catalog(cached_specs(home))


def cached_specs(home: Path | None) -> tuple[NodeSpec, ...]:
    """Every node's specification in the catalog's order; without a home all nodes are imported."""
    if home is None:
        return tuple(map(_checked_spec, nodes.discover()))
    return tuple(spec for _, spec in _specs(home / FILE))


def module_of(ref: str) -> str | None:
    """The module of a node, if specifications were read before; all nodes are imported if not."""
    if not _MODULES:
        _MODULES.update((spec.ref, module) for module, spec in _imported())
    return _MODULES.get(ref)


# Which module each node is in: the same in every cache of one state of the package.
_MODULES: dict[str, str] = {}


def _specs(path: Path) -> "tuple[tuple[str, NodeSpec], ...]":
    state = package_state(Path(toolweave.__file__).parent)
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        found = _read_file(path.read_bytes(), state)
        _MODULES.update((spec.ref, module) for module, spec in found)
        return found
    with suppress(OSError):
        _replace(path, _serialised(state))
    return _imported()


@lru_cache(maxsize=2)
def _read_file(content: bytes, state: str) -> "tuple[tuple[str, NodeSpec], ...]":
    kept = orjson.loads(content)
    if kept["state"] != state:
        raise ValueError("of another state of the package")
    return tuple((_module_in(raw), _read_spec(raw)) for raw in kept["specs"])


def _module_in(raw: dict[str, Any]) -> str:
    module: str = raw[_MODULE]
    if not module.startswith(_NODES):
        raise ValueError("not a node of this package")
    return module


@cache
def _imported() -> tuple[tuple[str, NodeSpec], ...]:
    return tuple((module, _checked_spec(node)) for module, node in nodes.discover_modules())


@cache
def _serialised(state: str) -> bytes:
    specs = [_written(spec) | {_MODULE: module} for module, spec in _imported()]
    return orjson.dumps({"state": state, "specs": specs})


def _spec_in(module: str) -> NodeSpec:
    return _checked_spec(import_module(module).node)


def _checked_spec(node: object) -> NodeSpec:
    """A node's specification with the check of its start, which loads the node contract."""
    return cast("NodeSpec", import_module("toolweave.nodes.start_check").with_start_check(node))


@cache
def package_state(package: Path) -> str:
    """Return a text that changes with every file of the package: a node may use any constant.

    An installed package comes with the hashes of all its files. Of a checkout, names, sizes and
    times are compared: hashing all files would take longer than the cache saves.
    """
    digest = hashlib.sha256(toolweave.__version__.encode())
    with suppress(OSError):
        record = package.parent / f"toolweave-{toolweave.__version__}.dist-info" / "RECORD"
        content = record.read_bytes()
        if b"toolweave/nodes/__init__.py,sha256=" in content:
            digest.update(content)
            return digest.hexdigest()
    for name, size, changed_ns in sorted(_files(str(package))):
        digest.update(f"{name}\0{size}\0{changed_ns}\n".encode())
    return digest.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                facts = entry.stat()
                yield entry.path, facts.st_size, facts.st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)


def _written(record: Any) -> dict[str, Any]:  # Any: one of the records of a specification
    written: dict[str, Any] = {}
    for known in fields(record):
        if not known.init:
            continue  # computed from the others
        value = getattr(record, known.name)
        if known.name == _CHECKS:
            value = len(value)
        default = known.default if known.default is not MISSING else ()
        if value == default and type(value) is type(default):
            continue
        if isinstance(value, tuple):
            items = cast("Iterable[object]", value)
            value = [_written(item) if is_dataclass(item) else item for item in items]
        written[known.name] = _written(value) if is_dataclass(value) else value
    return written


def _read_spec(raw: dict[str, Any]) -> NodeSpec:
    module, count = raw.pop(_MODULE), raw.pop(_CHECKS)
    spec = cast("NodeSpec", _read(NodeSpec, raw))
    return replace(spec, checks=DeferredChecks(module, count)) if count else spec


def _read(kind: type, raw: dict[str, Any]) -> object:
    for name in _TEXTS[kind]:
        if name in raw:
            raw[name] = tuple(raw[name])
    for name, inner in _RECORDS.get(kind, {}).items():
        if name in raw:
            value: Any = raw[name]
            if isinstance(value, list):
                items = cast("list[dict[str, Any]]", value)
                raw[name] = tuple(_read(inner, item) for item in items)
            else:
                raw[name] = _read(inner, value)
    return kind(**raw)


def _replace(path: Path, data: bytes) -> None:
    if not path.parent.parent.is_dir():
        return  # no home to keep it in
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
