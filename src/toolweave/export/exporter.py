"""The seam every target fulfils: files and what is lost, made of a workflow and nothing else."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from toolweave.problems import Problem
from toolweave.workflow.model import Workflow


class ExportedFile(NamedTuple):
    """A file to write: its path under the project, with `/`, and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Export:
    """The files of one workflow for one target, the entry first, and what the target lacks."""

    target: str
    files: tuple[ExportedFile, ...]
    problems: tuple[Problem, ...] = ()


class Exporter(Protocol):
    """One target."""

    @property
    def name(self) -> str:
        """What `--to` calls it."""
        ...

    @property
    def summary(self) -> str:
        """What it writes, in one line."""
        ...

    def files(self, workflow: Workflow, graph: Workflow) -> tuple[ExportedFile, ...]:
        """The files for a workflow without secrets, the entry first; paths are all different.

        `graph` is what they carry to be imported again.
        """
        ...

    def lacks(self, workflow: Workflow) -> list[Problem]:
        """The features of the workflow that the target cannot express."""
        ...
