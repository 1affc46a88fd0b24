"""Activation of stored workflows' triggers: enabling, disabling, and their secrets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from pydantic import BeforeValidator

from toolweave import json_text
from toolweave.access.secret_destinations import HERE
from toolweave.access.secret_text import SecretTexts
from toolweave.authoring.environment import known_offline
from toolweave.clock import timestamp
from toolweave.engine.plan import make_plan
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid, NotFound
from toolweave.home import FILES, WORKFLOWS, Home, workflow_store
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.nodes.trigger._delivery import secret_missing
from toolweave.nodes.trigger.schedule import next_time
from toolweave.problems import how_many
from toolweave.resources.mail_hosts import mail_address
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.triggers import deliveries, schedules
from toolweave.triggers import file_watch as watching
from toolweave.triggers import imap as mail
from toolweave.triggers.activation_store import Activations, ActiveTrigger
from toolweave.triggers.active_triggers import (
    ActiveTriggers,
    ActiveTriggerSettings,
    Present,
    only_from,
    settings_of,
    triggers_of,
)
from toolweave.triggers.mail_api import address_of
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import examine_loaded
from toolweave.workflow.store import ENDING, Stored
from toolweave.workflow.studio_data import without_studio_data

# Slack signs with the secret of the app, for which the node has no field: it is in the vault.
SLACK_SECRET = "slack-signing-secret"
BY_HAND = "TRIGGER.MANUAL"
HOOKED = frozenset({"TRIGGER.WEBHOOK", "TRIGGER.GITHUB", "TRIGGER.SLACK", "TRIGGER.EMAIL"})


@dataclass(frozen=True, slots=True)
class ActivationResult:
    """An enabled trigger, as shown to users."""

    workflow: str
    slug: str
    node: str
    kind: str
    is_current: bool  # whether the stored workflow is still the enabled one
    is_deleted: bool
    next_at: str | None
    hooks: tuple[str, ...]
    fired_at: str | None
    failure: str | None
    paused_at: str | None = None


class ActivationRecord(JsonRecord):
    """The JSON of a trigger that is on."""

    workflow: str
    node: str
    kind: str
    is_current: bool
    is_deleted: bool
    next_at: str | None
    hooks: list[Annotated[str, BeforeValidator("/hooks{}".format)]]
    fired_at: str | None
    failure: str | None
    paused_at: str | None


# The trigger recorded for a run that a person started in its place.
MANUAL = "manual"


class TriggerActivation:
    """Enables and disables triggers."""

    def __init__(self, home: Home, *, roots: Sequence[Path] = ()) -> None:
        self._home = home
        self._store = workflow_store(home.settings)
        self._files = WorkflowFiles(home.settings.home / WORKFLOWS)
        self._secrets = SecretTexts(home.vault, home.masker)
        self.kinds = NodeRegistry()
        self.roots = (home.settings.home / FILES, *roots)
        self.activations = Activations(home.database, home.clock)

    async def enable(self, name: str, node: str | None = None) -> Sequence[ActivationResult]:
        """Enable the triggers of a stored workflow as it is now; all of them, or one.

        Raises `NotFound`: `WORKFLOW_NOT_FOUND`, `TRIGGER_NOT_FOUND`, `SECRET_NOT_FOUND`; `Invalid`:
        the workflow or a trigger's settings cannot be used; `Conflict`: `HOOK_PATH_TAKEN`.
        """
        stored = await self._store.load(name)
        await self._check(stored)
        rows = [
            await self._prepared(stored.slug, stored.workflow, trigger, ref)
            for trigger, ref in triggers_of(stored.workflow, node)
            if ref != BY_HAND
        ]
        if not rows:
            raise NotFound(
                "TRIGGER_NOT_FOUND",
                f"workflow {stored.name!r} has no trigger that can be activated",
                hint="TRIGGER.MANUAL needs no activation: start it with `toolweave run`",
            )
        await self.activations.enable(
            slug=stored.slug,
            name=stored.name,
            revision=stored.revision,
            document=active_document(stored.workflow),
            triggers=rows,
        )
        return await self._of(stored.slug)

    async def disable(self, name: str) -> None:
        """Disable all triggers of a workflow, even a deleted one. Raises `TRIGGER_NOT_FOUND`."""
        rows = await self._on(name, None)
        await self.activations.disable(rows[0].workflow)

    async def pause(self, name: str, node: str | None = None) -> Sequence[ActivationResult]:
        """Pause the triggers of a workflow, or one of them. Raises `TRIGGER_NOT_FOUND`."""
        for row in await self._on(name, node):
            await self.activations.pause(row.workflow, row.node)
        return await self._of(name)

    async def resume(self, name: str, node: str | None = None) -> Sequence[ActivationResult]:
        """Resume paused triggers; missed events are not made up."""
        documents = {one.slug: one.document for one in await self.activations.workflows()}
        for row in await self._on(name, node):
            if row.paused_at is not None:
                workflow = read(json_text.read(documents[row.workflow])).workflow
                ready = await self._prepared(row.workflow, workflow, row.node, row.ref)
                await self.activations.resume(row.workflow, row.node, ready.seen)
        return await self._of(name)

    async def list(self) -> list[ActivationResult]:
        """Return every enabled trigger."""
        workflows = {one.slug: one for one in await self.activations.workflows()}
        current = {one.slug: str(one.revision) for one in await self._store.list()}
        active_triggers = ActiveTriggers(self.activations, self.kinds, always(frozenset(workflows)))
        await active_triggers.refresh()
        return [
            ActivationResult(
                workflow=active.name,
                slug=active.row.workflow,
                node=active.row.node,
                kind=active.kind,
                is_current=current.get(active.row.workflow)
                == workflows[active.row.workflow].revision,
                is_deleted=active.row.workflow not in current,
                next_at=self._next_at(active),
                hooks=hooks_of(active),
                fired_at=active.row.fired_at,
                failure=active.row.failure,
                paused_at=active.row.paused_at,
            )
            for active in active_triggers.active
        ]

    async def manual_run(
        self, name: str, node: str | None = None, loaded: LoadedWorkflow | None = None
    ) -> RunRequest:
        """Return the run a trigger would start now: of the active version, else the stored one.

        `loaded` is the version to run instead.
        """
        for one in await self.activations.workflows() if loaded is None else ():
            if name in {one.slug, one.name}:
                loaded = read(json_text.read(one.document))
                break
        if loaded is None:
            loaded = (await self._store.load(name)).loaded
        workflow = loaded.workflow
        part = only_from(workflow, triggers_of(workflow, node)[0][0])
        return RunRequest(part, {}, trigger=MANUAL, source=loaded)

    async def draft(self, workflow: Workflow, node: str) -> ActiveTriggerSettings:
        """Return a trigger of a workflow on somebody's canvas as if it were active.

        Raises `TRIGGER_NOT_FOUND`, `TRIGGER_POLLS`; `Invalid` for settings that cannot be used.
        """
        ((_, ref),) = triggers_of(workflow, node)
        if ref not in HOOKED:
            message = f"{ref} has no address where an event can be sent"
            raise Invalid("TRIGGER_POLLS", message, hint="enter a test event instead")
        alone = replace(
            workflow, nodes=tuple(one for one in workflow.nodes if one.id == node), edges=()
        )
        now = timestamp(self._home.clock.now())
        row = await self._prepared(slug(workflow.name), alone, node, ref)
        config = settings_of(alone, node, self.kinds)
        assert config is not None  # `_prepared` checked it
        return ActiveTriggerSettings(row, workflow.name, now, alone, LoadedWorkflow(alone), config)

    async def stored(self) -> Sequence[Stored]:
        """Return all stored workflows."""
        return await self._store.list()

    async def present(self) -> frozenset[str]:
        """Return the slugs of all stored workflows."""
        return frozenset(name.removesuffix(ENDING) for name in await self._files.names())

    async def secret(self, text: str) -> str:
        """Return a text with its vault references filled. Raises `SECRET_NOT_FOUND`."""
        return (await self._secrets.fill({"text": text}, HERE)).texts["text"]

    async def proof_of(self, ref: str, config: JsonObject) -> tuple[str, str] | None:
        """Return how callers of a trigger authenticate and the secret, if they have to."""
        way, field, value = "", "", None
        if ref == "TRIGGER.WEBHOOK" and config.get("authentication") != "none":
            way, field = str(config.get("authentication")), "auth_token"
            value = config.get(field)
        elif ref == "TRIGGER.GITHUB" and config.get("webhook_secret"):
            way, field, value = "github", "webhook_secret", config.get("webhook_secret")
        elif ref == "TRIGGER.SLACK":
            way, field, value = "slack", SLACK_SECRET, f"${{vault:{SLACK_SECRET}}}"
        elif ref == "TRIGGER.EMAIL":
            credentials = config.get("credentials")
            way, field = "email", "credentials.secret"
            value = credentials.get("secret") if isinstance(credentials, dict) else None
        if not way:
            return None
        if not isinstance(value, str) or not value:
            raise secret_missing(field)
        return way, await self.secret(value)

    async def sign_in(self, config: JsonObject) -> tuple[str, str]:
        """Return the user name and password of a mailbox."""
        credentials = config.get("credentials")
        given = credentials if isinstance(credentials, dict) else {}
        username, password = str(given.get("username", "")), str(given.get("password", ""))
        return await self.secret(username), await self.secret(password)

    async def mail_address(self, host: str, port: int) -> str:
        """Return the address of a mail server. Raises `EMAIL_DENIED` for a private one."""
        allow_private = self._home.settings.allow_private_http
        return await mail_address(host, port, allow_private=allow_private)

    async def _check(self, stored: Stored) -> None:
        report = examine_loaded(stored.loaded, await known_offline(self._home))
        if not report.is_valid:
            errors = [problem for problem in report.problems if problem.severity == "error"]
            raise Invalid(
                "WORKFLOW_INVALID",
                f"workflow {stored.name!r} cannot be activated: {how_many(errors)}",
                problems=errors,
                hint="run `toolweave validate` for details; --fix repairs what it can",
            )

    async def _on(self, name: str, node: str | None) -> Sequence[ActiveTrigger]:
        """Return the enabled triggers of a workflow, or the named one."""
        slugs = {
            one.slug for one in await self.activations.workflows() if name in {one.slug, one.name}
        }
        rows = [
            row
            for row in await self.activations.triggers()
            if row.workflow in slugs and node in {None, row.node}
        ]
        if not rows:
            which = f"trigger {node!r}" if node else "trigger"
            message = f"no {which} of workflow {name!r} is active"
            raise NotFound("TRIGGER_NOT_FOUND", message, hint="`toolweave triggers list`")
        return rows

    async def _of(self, name: str) -> Sequence[ActivationResult]:
        return [one for one in await self.list() if name in {one.workflow, one.slug}]

    async def _prepared(self, slug: str, workflow: Workflow, node: str, ref: str) -> ActiveTrigger:
        """Return a trigger after checking everything that can be checked before it fires."""
        make_plan(only_from(workflow, node), self.kinds)
        config = settings_of(workflow, node, self.kinds)
        if config is None:
            message = f"node {node!r} has a type that cannot be activated: {ref!r}"
            raise Invalid("NODE_NOT_RUNNABLE", message)
        seen: str | None = timestamp(self._home.clock.now())
        if ref == schedules.REF:
            schedules.schedule_of(config)
        elif ref == watching.REF:
            # Existing files are not changes.
            look = await anyio.to_thread.run_sync(watching.scan_now, config, self.roots)
            seen = json_text.write(look[1])
        elif ref == mail.REF and config.get("email_provider") == "imap":
            mailbox = mail.mailbox_of(config, *await self.sign_in(config))
            await self.mail_address(mailbox.host, mailbox.port)
            seen = None
        elif ref == mail.REF and config.get("email_provider") in mail.BY_API:
            address_of(config, allow_private=self._home.settings.allow_private_http)
            seen = None
        elif ref in HOOKED:
            _check_hook(node, ref, config)
            await self.proof_of(ref, config)
        path = deliveries.own_path(ref, config)
        return ActiveTrigger(slug, node, ref, path, seen)

    def _next_at(self, active: ActiveTriggerSettings) -> str | None:
        if active.row.ref != schedules.REF:
            return None
        try:
            schedule = schedules.schedule_of(active.config)
            following = next_time(schedule, self._home.clock.now())
        except Invalid:
            return None
        return timestamp(following) if following else None


def active_document(workflow: Workflow) -> str:
    """The text of a workflow as it is activated."""
    return json_text.write(convert(without_studio_data(workflow), "toolweave"))


def hooks_of(active: ActiveTriggerSettings) -> tuple[str, ...]:
    """Return the paths below `/hooks` a trigger listens at."""
    return paths_of(active.row)


def paths_of(row: ActiveTrigger) -> tuple[str, ...]:
    """Return the paths of a trigger that is, or could be, enabled."""
    if row.path is not None:
        return (row.path,)
    shared = deliveries.FOR_ALL.get(row.ref)
    return (shared, f"{shared}/{row.workflow}/{row.node}") if shared else ()


def _check_hook(node: str, ref: str, config: JsonObject) -> None:
    if ref == mail.REF and deliveries.own_path(ref, config) is None:
        raise Invalid(
            "EMAIL_CONFIG_INVALID",
            f"node {node!r}: server_config has no path",
            hint='write {"path": "/mail/in"}',
        )


def always(slugs: frozenset[str]) -> Present:
    """Return a function that reports these workflows as existing."""

    async def present() -> frozenset[str]:
        return slugs

    return present
