"""Which version of the program a run needs, so that two of them can work on one database.

A run row has the lowest version that can drive it: raised by events that older ones cannot read. A
process leaves runs that need a later version to others.
"""

from collections.abc import Iterable, Mapping

# Raised when an event, or a change of its meaning, is one that older versions cannot read.
VERSION = 2

# The version that wrote an event first; of others it is 1.
_SINCE: Mapping[str, int] = {"slot_awaited": 2, "slot_freed": 2, "step_queued": 2}
# The version that begins a step only on a worker of its queue.
QUEUES_SINCE = 2


def needed_version(kinds: Iterable[str]) -> int:
    """Return the lowest version that can read events of these kinds."""
    return max((_SINCE[kind] for kind in kinds if kind in _SINCE), default=1)
