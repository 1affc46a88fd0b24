"""Workflows as files of coding agents: one file per target, found by being in the folder."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from toolweave.export.exporter import Exporter


@cache
def discover() -> tuple[Exporter, ...]:
    """Every target there is, by name; a module that cannot be imported raises."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    found = [cast("Exporter", module.exporter) for module in modules if hasattr(module, "exporter")]
    return tuple(sorted(found, key=lambda exporter: exporter.name))
