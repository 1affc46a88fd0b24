"""A recording in memory, whatever it was made from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from toolweave.recording.entries import (
    CallLine,
    Header,
    ModelLine,
    PersonLine,
    ResultLine,
    SkillLine,
    StepLine,
    ToolLine,
    WorkflowLine,
)

AnyLine: TypeAlias = (
    Header
    | WorkflowLine
    | ToolLine
    | SkillLine
    | CallLine
    | ModelLine
    | PersonLine
    | StepLine
    | ResultLine
)


@dataclass(frozen=True, slots=True)
class Recording:
    """One run, or one client's calls, with everything needed to play it back."""

    header: Header
    workflow: WorkflowLine | None = None
    tools: tuple[ToolLine, ...] = ()
    calls: tuple[CallLine, ...] = ()
    models: tuple[ModelLine, ...] = ()
    people: tuple[PersonLine, ...] = ()
    steps: tuple[StepLine, ...] = ()
    result: ResultLine | None = None
    skills: tuple[SkillLine, ...] = ()
    # Whether the last line is missing: the recording was cut off while it was written.
    is_cut_off: bool = False
    # Lines of types that this version does not know; they are written back as they were.
    other: tuple[dict[str, object], ...] = field(default=())

    @property
    def name(self) -> str:
        """Its name."""
        return self.header.name

    def lines(self) -> Iterator[AnyLine]:
        """Yield all lines but the last, in the order of a file."""
        yield self.header
        if self.workflow is not None:
            yield self.workflow
        yield from self.tools
        yield from self.skills
        yield from sorted((*self.calls, *self.models, *self.people), key=lambda line: line.seq)
        yield from self.steps
        if self.result is not None:
            yield self.result
