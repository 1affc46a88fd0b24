"""The enabled triggers, ready for use: their workflows parsed, their settings complete."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import anyio

from toolweave import json_text
from toolweave.engine.plan import Kinds, is_start
from toolweave.engine.prepared_step import prepare
from toolweave.engine.runs import RunRequest
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tasks import internal_errors
from toolweave.triggers.activation_store import Activations, ActiveTrigger, ActiveWorkflow
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import read
from toolweave.workflow.graph import Graph
from toolweave.workflow.model import NodeId, Workflow

# The slugs of the workflows that still have a file.
Present = Callable[[], Awaitable[frozenset[str]]]


@dataclass(frozen=True, slots=True)
class ActiveTriggerSettings:
    """An active trigger; `workflow` is the part of `source` that it starts."""

    row: ActiveTrigger
    name: str
    enabled_at: str
    workflow: Workflow
    # The whole workflow as it was activated: the run gate checks it.
    source: LoadedWorkflow
    config: JsonObject

    @property
    def kind(self) -> str:
        """`cron`, `webhook`, …: the trigger kind recorded for a run."""
        return self.row.ref.partition(".")[2].lower()

    @property
    def is_paused(self) -> bool:
        """Whether the trigger is paused."""
        return self.row.paused_at is not None

    def request(self, inputs: Json, *, once_key: str | None) -> RunRequest:
        """Return the run for one event; inputs that do not match are recorded as a failed run."""
        return RunRequest(
            self.workflow,
            inputs,
            trigger=self.kind,
            once_key=once_key,
            keep_invalid_inputs=True,
            source=self.source,
        )

    def once_key(self, what: str) -> str:
        """Return the key of an event; the same event has the same key."""
        return f"{self.kind}/{self.row.workflow}/{self.row.node}/{what}"


logger = logging.getLogger(__name__)


class ActiveTriggers:
    """All enabled triggers; a workflow is parsed again only after a change."""

    def __init__(self, activations: Activations, kinds: Kinds, present: Present) -> None:
        self._activations = activations
        self._kinds = kinds
        self._present = present
        self._versions: dict[str, str] = {}
        self._known: dict[tuple[str, str], ActiveTriggerSettings] = {}
        self._active: tuple[ActiveTriggerSettings, ...] = ()
        # Also those whose workflow has no file in this home.
        self.enabled: tuple[ActiveTriggerSettings, ...] = ()
        self._turn = anyio.Lock()

    @property
    def active(self) -> tuple[ActiveTriggerSettings, ...]:
        """The triggers enabled at the last refresh, paused or not."""
        return self._active

    def of(self, ref: str) -> list[ActiveTriggerSettings]:
        """Return the polling triggers of one kind."""
        return [one for one in self._active if one.row.ref == ref and not one.is_paused]

    async def refresh(self) -> None:
        """Read which triggers are enabled; a deleted workflow's are not."""
        async with self._turn:  # so that callers see earlier writes
            await self._refresh()

    async def _refresh(self) -> None:
        versions = await self._activations.versions()
        if versions != self._versions:
            documents = {one.slug: one for one in await self._activations.workflows()}
            self._known = {
                (row.workflow, row.node): active
                for row in await self._activations.triggers()
                if row.workflow in documents
                and (active := self._try_to_read(documents[row.workflow], row)) is not None
            }
            self._versions = versions
        present = await self._present() if versions else frozenset[str]()
        self.enabled = tuple(
            replace(known, row=row)
            for row in (await self._activations.triggers() if versions else [])
            if (known := self._known.get((row.workflow, row.node))) is not None
        )
        self._active = tuple(one for one in self.enabled if one.row.workflow in present)

    def _try_to_read(
        self, stored: ActiveWorkflow, row: ActiveTrigger
    ) -> ActiveTriggerSettings | None:
        """Leave out a trigger that cannot be read, so that it stops no other."""
        try:
            with internal_errors(workflow=stored.name, node=row.node):
                return self._read(stored, row)
        except ToolweaveError as error:
            extra = {"workflow": stored.name, "node": row.node, "code": error.code}
            logger.warning("a trigger cannot be read", extra=extra)
            return None

    def _read(self, stored: ActiveWorkflow, row: ActiveTrigger) -> ActiveTriggerSettings | None:
        loaded = read(json_text.read(stored.document))
        config = settings_of(loaded.workflow, row.node, self._kinds)
        if config is None:
            return None
        workflow = only_from(loaded.workflow, row.node)
        return ActiveTriggerSettings(row, stored.name, stored.enabled_at, workflow, loaded, config)


def settings_of(workflow: Workflow, node_id: str, kinds: Kinds) -> JsonObject | None:
    """Return the settings of a trigger with all defaults; None if there is no such trigger."""
    node = workflow.node(node_id)
    kind = kinds.of(node) if node else None
    if node is None or kind is None or kind.spec is None:
        return None
    return prepare(node, kind.spec).config


def triggers_of(workflow: Workflow, node: str | None = None) -> list[tuple[str, str]]:
    """Return id and kind of the triggers that are not disabled in the file, or of the named one."""
    found = [
        (str(one.id), one.ref)
        for one in workflow.nodes
        if one.type == "TRIGGER" and one.ref and node in {None, one.id} and not _is_off(one.data)
    ]
    if not found:
        wanted = f"trigger {node!r}" if node else "trigger that is enabled"
        raise NotFound("TRIGGER_NOT_FOUND", f"workflow {workflow.name!r} has no {wanted}")
    return found


def only_from(workflow: Workflow, start: str) -> Workflow:
    """Return the workflow without its other triggers and the nodes only those lead to."""
    graph = Graph(workflow)
    others = [node.id for node in workflow.nodes if is_start(node) and node.id != start]
    gone = graph.reachable(others) | set(others)
    gone -= graph.reachable([NodeId(start)]) | {start}
    return replace(
        workflow,
        nodes=tuple(node for node in workflow.nodes if node.id not in gone),
        edges=tuple(
            edge for edge in workflow.edges if edge.source not in gone and edge.target not in gone
        ),
    )


def _is_off(data: JsonObject) -> bool:
    settings = data.get("configurations")
    return isinstance(settings, dict) and settings.get("enabled") is False
