"""Runners that start managed servers: one module each, registered automatically."""

from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from toolweave.servers.definition import RunnerName
from toolweave.servers.runners.runner import Runner


def discover() -> dict[RunnerName, Runner]:
    """Return all runners by name: every module of this folder with a `runner`."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    runners = (cast(Runner, module.runner) for module in modules if hasattr(module, "runner"))
    return {runner.name: runner for runner in runners}
