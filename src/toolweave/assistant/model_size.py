"""The size of a model, as far as its name says it."""

from toolweave.patterns import pattern

SMALL_PARAMETERS = 1.5e9
_SIZE = pattern(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s?([mb])(?![a-z0-9])")
_FACTORS = {"m": 1e6, "b": 1e9}


def is_small_model(name: str) -> bool:
    """Whether a name such as `smollm2:135m` or `Qwen2.5-0.5B` says that the model is small."""
    sizes = [float(match[1]) * _FACTORS[match[2]] for match in _SIZE.finditer(name.lower())]
    return bool(sizes) and max(sizes) <= SMALL_PARAMETERS
