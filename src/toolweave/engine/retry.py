"""When a failed step is retried, and when it is not."""

import random
from datetime import datetime, timedelta

from toolweave.catalog.spec import Effect
from toolweave.errors import Limited, TimedOut, ToolweaveError, Unavailable

FIRST_WAIT_S = 1.0
FACTOR = 3.0
LONGEST_WAIT_S = 300.0


def retry_at(
    error: ToolweaveError, effect: Effect, *, attempt: int, attempts: int, now: datetime
) -> datetime | None:
    """Return the time of the next attempt; None if there is none.

    A step with effect `once` is retried only if the effect certainly did not happen: the other
    side said that it is too busy.
    """
    if attempt >= attempts or not _may_pass(error, effect):
        return None
    wait_s = min(FIRST_WAIT_S * FACTOR ** (attempt - 1), LONGEST_WAIT_S)
    told = error.facts.get("retry_after_s")
    if isinstance(told, int | float):
        wait_s = max(wait_s, min(float(told), LONGEST_WAIT_S))
    # Jitter, so that runs that failed together do not all retry together.
    return now + timedelta(seconds=wait_s * random.uniform(0.8, 1.2))


def _may_pass(error: ToolweaveError, effect: Effect) -> bool:
    if effect == "once":
        return isinstance(error, Limited)
    return isinstance(error, Limited | Unavailable | TimedOut)
