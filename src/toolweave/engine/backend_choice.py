"""Chooses the run backend by its address; the scheme is the name of its module."""

from collections.abc import Callable
from importlib import import_module

from toolweave.engine.backend import ChosenBackend
from toolweave.engine.backends import discover
from toolweave.errors import Invalid, Unavailable

DEFAULT = "local"


def choose_backend(address: str | None, api_key: str | None = None) -> ChosenBackend:
    """Return the backend of an address; the local one without.

    Raises `SETTING_INVALID`; `BACKEND_MISSING` if its packages are not installed.
    """
    text = address or DEFAULT
    name = text.partition("://")[0]
    if name not in discover():
        message = f"there is no run backend {name!r}; there are {', '.join(discover())}"
        raise Invalid("SETTING_INVALID", message, hint="temporal://HOST:PORT/NAMESPACE, or local")
    try:
        module = import_module(f"toolweave.engine.backends.{name}")
    except ModuleNotFoundError as error:
        raise Unavailable(
            "BACKEND_MISSING",
            f"the run backend {name!r} needs the package {error.name!r}, which is not installed",
            hint=f"pip install 'toolweave[{name}]'",
        ) from None
    choose: Callable[[str, str | None], ChosenBackend] = module.choose
    return choose(text, api_key)
