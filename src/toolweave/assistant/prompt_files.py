"""Prompt templates: one file each, in `prompts`."""

import re
from functools import cache
from importlib.resources import files

_HOLE = re.compile(r"\{\{(\w+)\}\}")


def prompt(name: str, **values: str) -> str:
    """Return a prompt with its placeholders filled; inserted values are not expanded again."""
    return _HOLE.sub(lambda hole: values[hole[1]], _read(name)).strip()


@cache
def _read(name: str) -> str:
    return files("toolweave.assistant").joinpath("prompts", f"{name}.md").read_text("utf-8")
