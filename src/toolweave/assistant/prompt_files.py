"""The words models are given: one readable file each, in `prompts`."""

import re
from functools import cache
from importlib.resources import files

_HOLE = re.compile(r"\{\{(\w+)\}\}")


def prompt(name: str, **values: str) -> str:
    """A prompt with its holes filled; what is put in is never looked at again."""
    return _HOLE.sub(lambda hole: values[hole[1]], _read(name)).strip()


@cache
def _read(name: str) -> str:
    return files("toolweave.assistant").joinpath("prompts", f"{name}.md").read_text("utf-8")
