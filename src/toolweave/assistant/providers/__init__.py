"""Model providers: one wire format per module, registered automatically."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from toolweave.assistant.provider import Provider


@cache
def discover() -> dict[str, Provider]:
    """Return all providers by name."""
    names = sorted(one.name for one in iter_modules(__path__) if not one.name.startswith("_"))
    found = [cast("Provider", import_module(f"{__name__}.{name}").provider) for name in names]
    return {provider.name: provider for provider in found}
