"""Names of files and folders in an export: slugs that agents accept, each used once."""

import re

from toolweave.errors import Invalid
from toolweave.workflow.ids import MAX_NAME, slug
from toolweave.workflow.model import Workflow

# What agents take as the name of a skill: `[a-z0-9-]{1,64}`; of an agent, `_` as well.
MAX_STEM = 64


def stem(*names: str) -> str:
    """The slug of the first of `names` that something can be called by."""
    for name in names:
        try:
            return slug(name[:MAX_NAME])[:MAX_STEM].rstrip("-")
        except Invalid:
            continue
    return "workflow"


def agent_stem(*names: str) -> str:
    """What an agent file is called: as the visual editor does, `_` included, so that both agree."""
    for name in names:
        dashed = re.sub(r"\s+", "-", name[:MAX_NAME].lower())
        if (found := re.sub(r"[^a-z0-9_-]", "", dashed)[:MAX_STEM]).strip("-_"):
            return found
    return stem(*names)


def stem_of(workflow: Workflow) -> str:
    """What the entry of a workflow is called."""
    return stem(workflow.name, workflow.id)


class FileNames:
    """Gives each asker a name of its own."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """`wanted`, or where it is taken the next of `wanted-2`, `wanted-3`, …"""
        found, number = wanted, self._last.get(wanted, 1)
        while found in self._taken:
            number += 1
            ending = f"-{number}"
            found = wanted[: MAX_STEM - len(ending)].rstrip("-") + ending
        self._taken.add(found)
        self._last[wanted] = number
        return found
