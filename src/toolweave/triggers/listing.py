"""Every trigger of every stored workflow for display: on, paused or off, and its problems.

Only the settings named here are shown, so that no secret can be among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from toolweave.clock import timestamp
from toolweave.errors import NotFound, ToolweaveError
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.trigger.schedule import next_time
from toolweave.triggers import deliveries, schedules
from toolweave.triggers.activation import (
    BY_HAND,
    HOOKED,
    TriggerActivation,
    active_document,
    always,
    hooks_of,
    paths_of,
)
from toolweave.triggers.activation_store import ActiveTrigger, ActiveWorkflow
from toolweave.triggers.active_triggers import ActiveTriggers, ActiveTriggerSettings, settings_of
from toolweave.triggers.recent_events import TriggerEvent, TriggerEvents
from toolweave.triggers.trigger_line import (
    Hook,
    State,
    TriggerEventRecord,
    TriggerFact,
    TriggerLine,
)
from toolweave.workflow.ids import MAX_NAME, slug
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.store import Stored

NEXT_TIMES = 5
# The settings shown for each kind of trigger, by label.
_FACTS: Mapping[str, Mapping[str, str]] = {
    "TRIGGER.CRON": {
        "cron_expression": "Schedule",
        "timezone": "Time zone",
        "max_missed_runs": "Missed runs to catch up",
    },
    "TRIGGER.FILE_WATCH": {
        "path": "Folder",
        "pattern": "Files",
        "events": "Changes",
        "poll_interval": "Checks every (s)",
    },
    "TRIGGER.EMAIL": {
        "email_provider": "Mails by",
        "mailbox": "Mailbox",
        "polling_interval": "Checks every (s)",
    },
    "TRIGGER.GITHUB": {"repository": "Repository", "events": "Events", "branches": "Branches"},
    "TRIGGER.SLACK": {"workspace_id": "Workspace", "events": "Events", "channels": "Channels"},
    "TRIGGER.WORKFLOW_FAILED": {"workflows": "Workflows", "statuses": "Ended"},
}


async def trigger_lines(home: Home) -> list[TriggerLine]:
    """Return all of them by workflow; those of deleted workflows come last."""
    switches = TriggerActivation(home)
    workflows = {one.slug: one for one in await switches.activations.workflows()}
    active_triggers = ActiveTriggers(
        switches.activations, switches.kinds, always(frozenset(workflows))
    )
    await active_triggers.refresh()
    stored = await switches.stored()
    recent = await TriggerEvents(home.database, home.clock).recent()
    lister = _Lister(switches, home.clock.now(), workflows, recent)
    on = {(one.row.workflow, one.row.node): one for one in active_triggers.active}
    found: list[TriggerLine] = []
    for one in stored:
        mine = [node for node in one.workflow.nodes if node.type == "TRIGGER" and node.ref]
        found += [
            await lister.of_node(one, node, on.pop((one.slug, node.id), None)) for node in mine
        ]
        left = [key for key in on if key[0] == one.slug]
        found += [await lister.of_row(on.pop(key), "on") for key in left]
    found += [await lister.of_row(active, "deleted") for active in on.values()]
    return found


async def draft_line(home: Home, workflow: Workflow, node: str) -> TriggerLine:
    """Return a trigger of a workflow that is being edited. Raises `TRIGGER_NOT_FOUND`."""
    found = workflow.node(node)
    if found is None or found.type != "TRIGGER" or not found.ref:
        raise NotFound("TRIGGER_NOT_FOUND", f"workflow {workflow.name!r} has no trigger {node!r}")
    lister = _Lister(TriggerActivation(home), home.clock.now(), {}, {})
    # A draft may have no name yet: it is not stored, so nothing is found by its slug.
    name = workflow.name.strip() or "draft"
    return await lister.of_draft(slug(name[:MAX_NAME]), workflow, found)


class _Lister:
    def __init__(
        self,
        switches: TriggerActivation,
        now: datetime,
        workflows: Mapping[str, ActiveWorkflow],
        recent: Mapping[tuple[str, str], list[TriggerEvent]],
    ) -> None:
        self._switches = switches
        self._now = now
        self._workflows = workflows
        self._recent = recent

    async def of_node(
        self, stored: Stored, node: Node, active: ActiveTriggerSettings | None
    ) -> TriggerLine:
        """Return the entry of a trigger in a stored workflow."""
        if active is not None:
            kept = self._workflows[stored.slug]
            # What the studio keeps beside the workflow is not activated with it.
            is_current = kept.revision == stored.revision or (
                kept.document == active_document(stored.workflow)
            )
            return await self.of_row(active, "on", node, is_current=is_current)
        return await self.of_draft(stored.slug, stored.workflow, node, stored.name)

    async def of_draft(
        self, slug: str, workflow: Workflow, node: Node, name: str | None = None
    ) -> TriggerLine:
        """Return the entry of a trigger that is not active."""
        ref = node.ref or ""
        config, reason = self._settings(workflow, node)
        state: State = "off" if config.get("enabled", True) else "switched off in the workflow"
        row = ActiveTrigger(slug, node.id, ref, _own_path(ref, config))
        state = "by hand" if ref == BY_HAND else state
        hooks = paths_of(row)
        return await self._line(row, name or workflow.name, node, state, config, hooks, reason)

    async def of_row(
        self,
        active: ActiveTriggerSettings,
        state: State,
        node: Node | None = None,
        *,
        is_current: bool = False,
    ) -> TriggerLine:
        """Return the entry of an enabled trigger."""
        row = active.row
        if row.paused_at is not None and state == "on":
            state = "paused"
        shown = node or active.workflow.node(row.node)
        return await self._line(
            row, active.name, shown, state, active.config, hooks_of(active), None, is_current
        )

    async def _line(
        self,
        row: ActiveTrigger,
        workflow: str,
        node: Node | None,
        state: State,
        config: JsonObject,
        hooks: tuple[str, ...],
        reason: str | None,
        is_current: bool = True,
    ) -> TriggerLine:
        times, cannot = self._times(row.ref, config)
        unproven = await self._unproven(row.ref, config) if hooks else None
        events = self._recent.get((row.workflow, row.node), ())
        recent = [TriggerEventRecord.of(event) for event in events]
        return TriggerLine(
            workflow=workflow,
            slug=row.workflow,
            node=row.node,
            title=(node.name if node and node.name else row.node),
            kind=row.ref.partition(".")[2].lower(),
            state=state,
            is_current=is_current,
            facts=[*_facts(row.ref, config)],
            next_times=[*times],
            hook=_hook(row.ref, config, hooks) if hooks else None,
            reason=row.failure or reason or cannot or unproven,
            paused_at=row.paused_at,
            last=next((event for event in recent if event.outcome == "started"), None),
            recent=recent,
        )

    def _settings(self, workflow: Workflow, node: Node) -> tuple[JsonObject, str | None]:
        config = settings_of(workflow, node.id, self._switches.kinds)
        if config is None:
            return {}, f"there is no trigger of the kind {node.ref!r}"
        return config, None

    def _times(self, ref: str, config: JsonObject) -> tuple[tuple[str, ...], str | None]:
        if ref != schedules.REF:
            return (), None
        found: list[str] = []
        try:
            schedule, after = schedules.schedule_of(config), self._now
            while len(found) < NEXT_TIMES and (after := next_time(schedule, after)) is not None:
                found.append(timestamp(after))
        except ToolweaveError as error:
            return (), error.message
        return tuple(found), None

    async def _unproven(self, ref: str, config: JsonObject) -> str | None:
        """Return why no caller could authenticate."""
        try:
            await self._switches.proof_of(ref, config)
        except ToolweaveError as error:
            return error.message
        return None


def _facts(ref: str, config: JsonObject) -> Iterator[TriggerFact]:
    for name, label in _FACTS.get(ref, {}).items():
        if (text := _text(config.get(name))) is not None:
            yield TriggerFact(label=label, value=text)


def _text(value: Json) -> str | None:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value if isinstance(one, str)) or None
    return str(value) if isinstance(value, str | int | float) and value != "" else None


def _own_path(ref: str, config: JsonObject) -> str | None:
    return deliveries.own_path(ref, config) if ref in HOOKED and config else None


def _hook(ref: str, config: JsonObject, paths: Sequence[str]) -> Hook:
    methods = config.get("allowed_methods")
    allowed = [str(method) for method in methods] if isinstance(methods, list) else ["POST"]
    addresses = [f"/hooks{path}" for path in paths]
    return Hook(paths=addresses, methods=allowed, proof=_proof(ref, config))


def _proof(ref: str, config: JsonObject) -> str:
    """Return the kind of authentication, never the secret."""
    if ref == "TRIGGER.WEBHOOK":
        return str(config.get("authentication", "none"))
    if ref == "TRIGGER.GITHUB":
        return "github" if config.get("webhook_secret") else "none"
    return "slack" if ref == "TRIGGER.SLACK" else "email"
