"""Pauses garbage collection while a document is read or checked.

Both make many small objects and hardly any cycles, so that collections meanwhile find nothing and
take longer with every node. The work is bounded by the size of a document. Collection is off for
the whole process: only the call that turned it off turns it on again.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused_collection() -> Generator[None]:
    """Collect nothing inside; what is left over is collected soon after."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
