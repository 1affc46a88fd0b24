"""What a key limited to some published tools may see: their workflows, and the runs of those."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import partial

from toolweave.access.keys import ApiKey
from toolweave.engine.called_runs import root_of
from toolweave.engine.engine import Engine
from toolweave.engine.journal_reader import JournalEntry
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_table import RunRecord, unknown_run
from toolweave.errors import NotFound
from toolweave.publishing.service import Published, PublishedTool


async def workflows_of(published: Published, key: ApiKey) -> frozenset[str] | None:
    """The names of the workflows that a limited key may use; `None` for all."""
    if key.tools is None:
        return None
    found = (one.publication for one in await published.tools())
    return frozenset(one.workflow for one in found if key.allows_tool(one.tool))


async def allows_workflow(published: Published, key: ApiKey, workflow: str) -> bool:
    """Whether the key may use a workflow; a key without a limit may use all."""
    allowed = await workflows_of(published, key)
    return allowed is None or workflow in allowed


async def require_workflow(published: Published, key: ApiKey, workflow: str) -> None:
    """Require that the key may use a workflow.

    The error is the same whether there is such a workflow or not, and published or not.

    Raises:
        NotFound: `WORKFLOW_NOT_FOUND`.
    """
    if not await allows_workflow(published, key, workflow):
        raise _not_found(key, workflow)


async def published_of(published: Published, key: ApiKey, workflow: str) -> PublishedTool:
    """Return the published copy of a workflow, which is all that a limited key may see and run.

    Raises:
        NotFound: `WORKFLOW_NOT_FOUND`, also if it was unpublished meanwhile.
    """
    await require_workflow(published, key, workflow)
    found = await published.of_workflow(workflow)
    if found is None:
        raise _not_found(key, workflow)
    return found


def _not_found(key: ApiKey, workflow: str) -> NotFound:
    allowed = ", ".join(sorted(key.tools or ()))
    hint = f"this key may use only what is published as {allowed}"
    return NotFound("WORKFLOW_NOT_FOUND", f"there is no workflow {workflow!r}", hint=hint)


def _may_search(key: ApiKey) -> bool:
    return key.tools is None and key.allows("workflows:read")


class VisibleRuns:
    """The runs a key may see and control."""

    def __init__(self, engine: Engine, published: Published) -> None:
        self._engine = engine
        self._published = published

    async def get(self, key: ApiKey, run: str) -> RunRecord:
        """Return a run by its whole id, to act on it.

        The error is the same whether there is no such run, or the key may not see it.

        Raises:
            NotFound: `RUN_UNKNOWN`.
        """
        record = await self._engine.get(run)
        if not await allows_workflow(self._published, key, record.workflow):
            raise unknown_run(run)
        return record

    async def match(self, key: ApiKey, run: str) -> RunRecord:
        """Return a run by its id or its first characters, to read it; raises as `get`.

        A limited key, or one that may not read workflows, gives the whole id: else it could find
        those of other runs piece by piece.
        """
        whole = (await self._engine.match(run)).id if _may_search(key) else run
        return await self.get(key, whole)

    async def match_called(self, key: ApiKey, run: str) -> RunRecord:
        """Return a run as `match`, also one that a run that the key may see has called.

        What a workflow passes on may be stored with the run of a workflow that it calls.
        """
        engine = self._engine
        record = await engine.match(run) if _may_search(key) else await engine.get(run)
        root = await root_of(self._engine.journal.database, record.id)
        first = record if root == record.id else await self._engine.get(root)
        for one in (record, first):
            if await allows_workflow(self._published, key, one.workflow):
                return record
        raise unknown_run(run)

    async def follow(self, key: ApiKey, run: RunRecord, after: int) -> AsyncIterator[JournalEntry]:
        """Yield the events of a run for as long as the key may see it."""
        async with aclosing(self._engine.journal.batches(run.id, after, paged=True)) as batches:
            async for entries in batches:
                if not await allows_workflow(self._published, key, run.workflow):
                    return  # it was unpublished meanwhile
                for entry in entries:
                    yield entry

    async def newest(
        self,
        key: ApiKey,
        *,
        workflow: str | None,
        limit: int,
        search: RunSearch,
    ) -> Sequence[RunRecord]:
        """Return the newest runs that the key may see."""
        find = partial(self._engine.newest, limit=limit, search=search)
        allowed = await workflows_of(self._published, key)
        if allowed is None:
            return await find(workflow=workflow)
        found: list[RunRecord] = []
        for name in allowed if workflow is None else allowed & {workflow}:
            found += await find(workflow=name)
        return sorted(found, key=lambda run: run.started_at, reverse=True)[:limit]
