"""Which triggers are enabled, and the position of each: two tables.

A workflow is stored as it was when enabled, so that no unfinished edit goes live.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict
from toolweave.storage.database import Database

MAX_FAILURE = 500


@dataclass(frozen=True, slots=True)
class ActiveWorkflow:
    """A workflow as it was when enabled."""

    slug: str
    name: str
    revision: str
    document: str
    enabled_at: str


@dataclass(frozen=True, slots=True)
class ActiveTrigger:
    """An enabled trigger node; `seen` is its position."""

    workflow: str
    node: str
    ref: str
    path: str | None = None
    seen: str | None = None
    fired_at: str | None = None
    failure: str | None = None
    paused_at: str | None = None


class Activations:
    """The tables of one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def enable(
        self,
        *,
        slug: str,
        name: str,
        revision: str,
        document: str,
        triggers: Sequence[ActiveTrigger],
    ) -> None:
        """Enable a workflow, replacing an older version of it.

        An enabled trigger keeps its position; a paused one stays paused. Raises `HOOK_PATH_TAKEN`.
        """
        now = timestamp(self._clock.now())
        async with self._database.transaction() as transaction:
            before = {
                (node, ref): kept
                for node, ref, *kept in await transaction.rows(
                    "SELECT node, ref, seen, fired_at, paused_at FROM active_triggers "
                    "WHERE workflow = ?",
                    slug,
                )
            }
            await transaction.execute("DELETE FROM active_triggers WHERE workflow = ?", slug)
            await transaction.execute("DELETE FROM active_workflows WHERE slug = ?", slug)
            await transaction.execute(
                "INSERT INTO active_workflows (slug, name, revision, document, enabled_at) "
                "VALUES (?, ?, ?, ?, ?)",
                *(slug, name, revision, document, now),
            )
            for trigger in triggers:
                taken = await transaction.row(
                    "SELECT workflow, node FROM active_triggers WHERE path = ?", trigger.path
                )
                if taken is not None:
                    raise _path_taken(trigger, *taken)
                kept = before.get((trigger.node, trigger.ref), [trigger.seen, None, None])
                await transaction.execute(
                    "INSERT INTO active_triggers "
                    "(workflow, node, ref, path, seen, fired_at, paused_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    *(slug, trigger.node, trigger.ref, trigger.path, *kept),
                )

    async def disable(self, slug: str) -> bool:
        """Disable a workflow; return whether it was enabled."""
        async with self._database.transaction() as transaction:
            await transaction.execute("DELETE FROM active_triggers WHERE workflow = ?", slug)
            return bool(
                await transaction.execute("DELETE FROM active_workflows WHERE slug = ?", slug)
            )

    async def pause(self, workflow: str, node: str) -> None:
        """Pause a trigger; a paused one stays paused."""
        await self._database.execute(
            "UPDATE active_triggers SET paused_at = coalesce(paused_at, ?) "
            "WHERE workflow = ? AND node = ?",
            *(timestamp(self._clock.now()), workflow, node),
        )

    async def resume(self, workflow: str, node: str, seen: str | None) -> None:
        """Resume a paused trigger at `seen`; missed events are not made up."""
        await self._database.execute(
            "UPDATE active_triggers SET paused_at = NULL, failure = NULL, seen = ? "
            "WHERE workflow = ? AND node = ? AND paused_at IS NOT NULL",
            *(seen, workflow, node),
        )

    async def paused(self) -> frozenset[tuple[str, str]]:
        """Return workflow and node of every paused trigger."""
        rows = await self._database.rows(
            "SELECT workflow, node FROM active_triggers WHERE paused_at IS NOT NULL"
        )
        return frozenset((workflow, node) for workflow, node in rows)

    async def workflows(self) -> list[ActiveWorkflow]:
        """Return every enabled workflow."""
        rows = await self._database.rows(
            "SELECT slug, name, revision, document, enabled_at FROM active_workflows ORDER BY slug"
        )
        return [ActiveWorkflow(*row) for row in rows]

    async def versions(self) -> dict[str, str]:
        """Return the enabled workflows, with a text that changes when one is enabled again."""
        rows = await self._database.rows(
            "SELECT slug, revision, enabled_at FROM active_workflows ORDER BY slug"
        )
        return {slug: f"{revision} {enabled_at}" for slug, revision, enabled_at in rows}

    async def stamp(self) -> str:
        """Return a text that changes when a trigger is switched or fires, or its run continues."""
        rows = await self._database.rows(
            "SELECT workflow, node, fired_at, failure, paused_at FROM active_triggers "
            "ORDER BY workflow, node"
        )
        last = await self._database.row("SELECT max(id) FROM trigger_firings")
        ended = await self._database.rows(
            "SELECT r.status, count(*) FROM trigger_firings AS f JOIN runs AS r ON r.id = f.run "
            "GROUP BY r.status ORDER BY r.status"
        )
        return repr((await self.versions(), rows, last, ended))

    async def triggers(self) -> list[ActiveTrigger]:
        """Return every enabled trigger."""
        rows = await self._database.rows(
            "SELECT workflow, node, ref, path, seen, fired_at, failure, paused_at "
            "FROM active_triggers ORDER BY workflow, node"
        )
        return [ActiveTrigger(*row) for row in rows]

    async def polled(self, workflow: str, node: str, seen: str, *, has_fired: bool = False) -> None:
        """Record the position of a trigger, and that it works."""
        now = timestamp(self._clock.now()) if has_fired else None
        await self._database.execute(
            "UPDATE active_triggers SET seen = ?, failure = NULL, "
            "fired_at = coalesce(?, fired_at) WHERE workflow = ? AND node = ?",
            *(seen, now, workflow, node),
        )

    async def fired(self, workflow: str, node: str) -> None:
        """Record that a trigger started a run."""
        await self._database.execute(
            "UPDATE active_triggers SET failure = NULL, fired_at = ? "
            "WHERE workflow = ? AND node = ?",
            *(timestamp(self._clock.now()), workflow, node),
        )

    async def failed(self, workflow: str, node: str, failure: str) -> None:
        """Record why a trigger's last poll failed."""
        await self._database.execute(
            "UPDATE active_triggers SET failure = ? WHERE workflow = ? AND node = ?",
            *(failure[:MAX_FAILURE], workflow, node),
        )


def _path_taken(trigger: ActiveTrigger, workflow: str, node: str) -> Conflict:
    return Conflict(
        "HOOK_PATH_TAKEN",
        f"the path {trigger.path!r} is already used by node {node!r} of {workflow!r}",
        hint="use another path, or deactivate the other workflow",
    )
