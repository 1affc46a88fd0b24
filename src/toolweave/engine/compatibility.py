"""Which version of the program a run needs, so that two of them can work on one database.

A run row has the lowest version that can drive it: raised by events that older ones cannot read. A
process leaves runs that need a later version to others.
"""

from collections.abc import Mapping

from toolweave.engine.events import Event, Finished, StepFinished

# Raised when an event, or a change of its meaning, is one that older versions cannot read.
VERSION = 3

# The version that wrote an event first; of others it is 1.
_SINCE: Mapping[str, int] = {"slot_awaited": 2, "slot_freed": 2, "step_queued": 2}
# The version that begins a step only on a worker of its queue.
QUEUES_SINCE = 2
# The version that keeps what tools say beside their values.
_CONTENT_SINCE = 3


def needed_version(event: Event) -> int:
    """Return the lowest version that can read an event."""
    if isinstance(event, StepFinished | Finished) and event.content is not None:
        return _CONTENT_SINCE
    return _SINCE.get(event.kind, 1)
