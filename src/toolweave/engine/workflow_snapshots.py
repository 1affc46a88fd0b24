"""Workflows as runs are pinned to them: by the hash of their text, with their plan."""

import hashlib

from toolweave import json_text
from toolweave.engine.plan import Kinds, Plan, make_plan
from toolweave.errors import NotFound
from toolweave.storage.database import Database
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.model import Workflow

KNOWN_WORKFLOWS = 256


class WorkflowSnapshots:
    """The workflows of one database's runs; those used last are known."""

    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        # By hash of their workflow.
        self._plans: dict[str, Plan] = {}
        # By identity, which holds as long as they are here: they never change.
        self._texts: dict[int, tuple[Workflow, str, str]] = {}

    def text_of(self, workflow: Workflow) -> tuple[str, str]:
        """The text of a workflow that can be run, and its hash; known if it was started before.

        Raises:
            Invalid: the workflow cannot be run.
        """
        known = self._texts.get(id(workflow))
        if known is not None:
            return known[1], known[2]
        make_plan(workflow, self._kinds)
        text = json_text.write(convert(workflow, "toolweave"))
        document = hashlib.sha256(text.encode()).hexdigest()
        if len(self._texts) >= KNOWN_WORKFLOWS:
            del self._texts[next(iter(self._texts))]
        self._texts[id(workflow)] = (workflow, text, document)
        return text, document

    async def plan_of(self, document: str) -> Plan:
        """The plan of a workflow by its hash; known if it was asked for before.

        Raises:
            NotFound: `RUN_UNKNOWN` where the workflow is gone.
        """
        plan = self._plans.pop(document, None)
        if plan is None:
            row = await self._database.row("SELECT text FROM documents WHERE hash = ?", document)
            if row is None:
                raise NotFound("RUN_UNKNOWN", f"the workflow {document!r} of a run is gone")
            plan = make_plan(read(json_text.read(row[0])).workflow, self._kinds)
        if len(self._plans) >= KNOWN_WORKFLOWS:
            del self._plans[next(iter(self._plans))]
        self._plans[document] = plan  # the one used last comes last
        return plan
