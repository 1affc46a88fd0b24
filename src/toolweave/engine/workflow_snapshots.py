"""Workflows as runs are pinned to them: by the hash of their text, with their plan."""

import hashlib
from dataclasses import dataclass

from anyio.to_thread import run_sync

from toolweave import json_text
from toolweave.engine.heavy_work import LARGE
from toolweave.engine.plan import Kinds, Plan, make_plan
from toolweave.errors import NotFound
from toolweave.storage.database import Database
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.model import Workflow

MAX_CACHED = 256


@dataclass(frozen=True, slots=True)
class WorkflowSnapshot:
    """A workflow as a run stores it, and the plan of exactly that text."""

    workflow: Workflow
    text: str
    hash: str
    plan: Plan


class WorkflowSnapshots:
    """The workflows of one database's runs; the most recently used ones are cached."""

    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._plans: dict[str, Plan] = {}
        # By identity of the workflow, which each entry keeps alive: workflows never change.
        self._taken: dict[int, WorkflowSnapshot] = {}

    async def take(self, workflow: Workflow) -> WorkflowSnapshot:
        """Return the snapshot of a workflow; its plan is made once. Raises `Invalid`."""
        taken = self._taken.get(id(workflow))
        if taken is None:
            # In a thread: a large document must not stop the others.
            text, digest = await run_sync(_text_of, workflow)
            plan = self._plans.get(digest) or await run_sync(self._plan, text)
            taken = WorkflowSnapshot(workflow, text, digest, plan)
            if len(self._taken) >= MAX_CACHED:
                del self._taken[next(iter(self._taken))]
            self._taken[id(workflow)] = taken
        self._remember(taken.hash, taken.plan)
        return taken

    async def plan_of(self, digest: str) -> Plan:
        """Return the plan of a stored workflow by its hash."""
        plan = self._plans.get(digest)
        if plan is None:
            row = await self._database.row("SELECT text FROM documents WHERE hash = ?", digest)
            if row is None:
                raise NotFound("RUN_UNKNOWN", f"the workflow {digest!r} of a run is gone")
            plan = await run_sync(self._plan, row[0])
        self._remember(digest, plan)
        return plan

    def _plan(self, text: str) -> Plan:
        plan = make_plan(read(json_text.read(text)).workflow, self._kinds)
        if len(text) > LARGE:
            for step in plan.steps:
                _ = step.prepared  # here, and not on the event loop when it is first used
        return plan

    def _remember(self, digest: str, plan: Plan) -> None:
        self._plans.pop(digest, None)
        if len(self._plans) >= MAX_CACHED:
            del self._plans[next(iter(self._plans))]
        self._plans[digest] = plan  # the most recently used one is last


def _text_of(workflow: Workflow) -> tuple[str, str]:
    text = json_text.write(convert(workflow, "toolweave"))
    return text, hashlib.sha256(text.encode()).hexdigest()
