"""Task queues: which worker may begin a step.

A step belongs to the queue of its node, else to that of a server it names, else to `default`. A
process begins only the steps of queues that it serves; `decide` is the one place that checks it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolweave.engine.steps import PlannedStep
from toolweave.settings import DEFAULT_QUEUE

ONLY_DEFAULT = frozenset({DEFAULT_QUEUE})
NO_QUEUES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Placement:
    """The queues that a process serves, and those of servers by their names."""

    served: frozenset[str]
    servers: Mapping[str, str] = field(default_factory=lambda: NO_QUEUES)

    def queue_of(self, step: PlannedStep) -> str:
        """Return the queue of a step."""
        if step.queue is not None:
            return step.queue
        named = (self.servers[name] for name in step.servers if name in self.servers)
        return next(named, DEFAULT_QUEUE)

    def serves(self, step: PlannedStep) -> bool:
        """Whether this process may begin a step."""
        return self.queue_of(step) in self.served
