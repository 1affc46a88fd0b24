"""The prompts of this package: one readable file each, in `prompts`."""

from functools import cache
from importlib.resources import files

from toolweave.patterns import pattern

_PLACEHOLDER = pattern(r"\{\{(\w+)\}\}")


def filled_prompt(name: str, **values: str) -> str:
    """Return a prompt with its placeholders filled; inserted values are not expanded again."""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], read_prompt(f"{name}.md")).strip()


@cache
def read_prompt(file: str) -> str:
    """Return the text of a prompt file."""
    return files("toolweave.assistant").joinpath("prompts", file).read_text("utf-8")
