"""Dialects of workflow files: one file each, found by being in the folder."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from toolweave.workflow.formats.format import FORMAT_NAMES, Format


@cache
def discover() -> tuple[Format, ...]:
    """Every dialect there is, the canonical one first; a module that cannot be imported raises."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    formats = [cast("Format", module.format) for module in modules if hasattr(module, "format")]
    return tuple(sorted(formats, key=lambda format: FORMAT_NAMES.index(format.name)))
