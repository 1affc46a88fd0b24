"""The code of a node together with its specification, as a plan uses it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from toolweave.catalog.node import (
    Calling,
    Effectful,
    Gathering,
    Heavy,
    Looping,
    Pure,
    StopRequested,
)
from toolweave.catalog.spec import Effect, NodeSpec

Code: TypeAlias = Pure | Effectful | Looping


@dataclass(frozen=True)
class NodeKind:
    """The code of a node and its specification; the kind of code is determined once."""

    code: Code
    effect: Effect
    spec: NodeSpec | None = None

    @cached_property
    def loop(self) -> Looping | None:
        """The code of a loop."""
        return self.code if isinstance(self.code, Looping) else None

    @cached_property
    def pure(self) -> Pure | None:
        """The code of a step that computes."""
        return self.code if isinstance(self.code, Pure) else None

    @cached_property
    def effectful(self) -> Effectful | None:
        """The code of a step that does something."""
        return self.code if isinstance(self.code, Effectful) else None

    @cached_property
    def may_be_heavy(self) -> bool:
        """Whether it takes long if there is much to work on."""
        return isinstance(self.code, Heavy) and self.code.may_be_heavy

    @cached_property
    def gathers_by(self) -> str | None:
        """The setting that limits how long it waits for branches."""
        return self.code.gathers_by if isinstance(self.code, Gathering) else None

    @cached_property
    def calls(self) -> bool:
        """Whether it calls another workflow."""
        return isinstance(self.code, Calling) and self.code.calls_workflows

    @cached_property
    def may_stop(self) -> bool:
        """Whether it can end the whole run."""
        return isinstance(self.code, StopRequested) and self.code.may_stop
