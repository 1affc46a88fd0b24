"""The words models are given in the language modes: one readable file each, in `prompts`."""

from functools import cache
from importlib.resources import files

from toolweave.patterns import pattern

_HOLE = pattern(r"\{\{(\w+)\}\}")


def filled(name: str, **values: str) -> str:
    """A prompt with its holes filled; what is put in is never looked at again."""
    return _HOLE.sub(lambda hole: values[hole[1]], _read(name)).strip()


@cache
def _read(name: str) -> str:
    return files("toolweave.nodes.mcp").joinpath("prompts", f"{name}.md").read_text("utf-8")
