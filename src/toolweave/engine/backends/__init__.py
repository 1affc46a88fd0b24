"""Run backends, one module each, found by being in the folder; its name is its address's scheme."""

from pkgutil import iter_modules


def discover() -> tuple[str, ...]:
    """Return the names of all backends; none is imported."""
    return tuple(sorted(found.name for found in iter_modules(__path__)))
