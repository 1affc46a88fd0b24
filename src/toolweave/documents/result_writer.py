"""Writes results into a document as they arrive, also into one that was saved meanwhile.

A result belongs to the block with the same server, tool and parameters. If there are several, their
order decides. A result whose block was changed or deleted has no place and is reported.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import anyio
import anyio.to_thread

from toolweave.documents.block_plan import Planned
from toolweave.documents.document import Document, encoded
from toolweave.documents.files import keep_picture, read_file, replace_file
from toolweave.documents.render import Callout
from toolweave.documents.results import with_results
from toolweave.errors import Conflict, NotFound
from toolweave.problems import Problem, pointer

# A save between reading and writing wins; then the result is merged again.
ATTEMPTS = 5

# Reads and plans the bytes of a document as at the start of the run.
Planner = Callable[[bytes], tuple[Document, Sequence[Planned]]]


class ResultWriter:
    """The one place that writes into a document during a run."""

    def __init__(self, path: Path, planned: Sequence[Planned], planner: Planner) -> None:
        self._path = path
        self._planner = planner
        seen: Counter[str] = Counter()
        self._places: dict[int, tuple[str, int]] = {}
        for one in planned:
            self._places[one.number] = one.key, seen[one.key]
            seen[one.key] += 1
        self._lock = anyio.Lock()
        self.unplaced: list[Problem] = []

    async def write(self, planned: Planned, callout: Callout) -> None:
        """Put a result below its block.

        Raises `Conflict`: `DOCUMENT_CHANGED` if the document is saved again and again meanwhile.
        """
        async with self._lock:
            is_written = await anyio.to_thread.run_sync(self._write, planned.number, callout)
        if not is_written:
            self.unplaced.append(
                Problem(
                    "DOCUMENT_CHANGED",
                    pointer("lines", planned.block.line),
                    f"{planned.title} was run, but its block was changed or deleted meanwhile, so "
                    "its result is not in the document",
                    "run the document again to run the block as it is now",
                )
            )

    def _write(self, number: int, callout: Callout) -> bool:
        for picture in callout.pictures:
            keep_picture(self._path, picture)
        for attempt in range(ATTEMPTS):
            try:
                data = read_file(self._path)
            except NotFound:
                return False
            document, planned = self._planner(data)
            here = self._here(planned).get(self._places[number])
            if here is None:
                return False
            try:
                replace_file(
                    self._path, data, encoded(with_results(document, {here.number: callout}))
                )
            except Conflict:
                if attempt == ATTEMPTS - 1:
                    raise
            else:
                return True
        return False

    @staticmethod
    def _here(planned: Sequence[Planned]) -> Mapping[tuple[str, int], Planned]:
        seen: Counter[str] = Counter()
        found: dict[tuple[str, int], Planned] = {}
        for one in planned:
            found[one.key, seen[one.key]] = one
            seen[one.key] += 1
        return found
