"""The check of the run gate: a workflow with errors never starts."""

import hashlib
import time
from dataclasses import dataclass, replace

import anyio.to_thread

from toolweave import json_text
from toolweave.authoring.environment import ToolKnowledge
from toolweave.catalog.index import Catalog
from toolweave.errors import Invalid
from toolweave.problems import Problem, how_many
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.formats.format import FormatName, LoadedWorkflow
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import examine_loaded

MAX_CACHED = 256
# A workflow that passed is not checked again within this time; afterwards only if the approved
# tools, models or commands changed. What a run may do is enforced by the gate in any case.
FRESH_S = 1.0


@dataclass(frozen=True, slots=True)
class _Passed:
    catalog: Catalog
    home: KnownHome | None
    at: float

    def holds_for(self, known: KnownEnvironment) -> bool:
        return self.catalog is known.catalog and self.home == known.home


class RunCheck:
    """Checks workflows against what is known without asking a server; remembers what passed.

    A verdict is cached by the hash of the workflow's text and the environment it was given in.
    Refusals are never cached.
    """

    def __init__(self, approved: ToolKnowledge) -> None:
        self._approved = approved
        self._passed: dict[tuple[str, FormatName], _Passed] = {}
        # By identity of the workflow, which each entry keeps alive.
        self._digests: dict[int, tuple[Workflow, str]] = {}

    async def require_valid(self, loaded: LoadedWorkflow) -> None:
        """Return if a workflow about to run has no errors; else raise `WORKFLOW_INVALID`."""
        key = (await self._digest(loaded.workflow), loaded.format)
        is_read = all(problem.severity != "error" for problem in loaded.problems)
        passed = self._passed.get(key) if is_read else None
        if passed is not None and time.monotonic() - passed.at < FRESH_S:
            return
        at = time.monotonic()
        known = replace(await self._approved.known(), is_run=True)
        if passed is None or not passed.holds_for(known):
            self._passed.pop(key, None)
            report = await anyio.to_thread.run_sync(examine_loaded, loaded, known)
            refuse_errors(loaded, report.problems)
        if len(self._passed) >= MAX_CACHED:
            del self._passed[next(iter(self._passed))]
        self._passed[key] = _Passed(known.catalog, known.home, at)

    async def _digest(self, workflow: Workflow) -> str:
        known = self._digests.get(id(workflow))
        if known is None:
            known = (workflow, await anyio.to_thread.run_sync(_digest_of, workflow))
            if len(self._digests) >= MAX_CACHED:
                del self._digests[next(iter(self._digests))]
            self._digests[id(workflow)] = known
        return known[1]


def refuse_errors(loaded: LoadedWorkflow, problems: tuple[Problem, ...]) -> None:
    """Refuse to run a workflow whose problems include errors."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise Invalid(
            "WORKFLOW_INVALID",
            f"workflow {loaded.workflow.name[:100]!r} cannot run: {how_many(errors)}",
            problems=errors,
            hint="fix the listed problems; those with a patch can be fixed automatically",
        )


def _digest_of(workflow: Workflow) -> str:
    text = json_text.write(convert(workflow, "toolweave"))
    return hashlib.sha256(text.encode()).hexdigest()
