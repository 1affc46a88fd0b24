"""The triggers of a process: polling loops, and the endpoint of webhooks.

Connects the enabled triggers (`activation.py`) with the nodes' filters and the engine.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from toolweave.access.secret_text import SecretTexts
from toolweave.access.webhook_signatures import WebhookRequest, parse_body
from toolweave.clock import timestamp
from toolweave.engine.engine import Engine
from toolweave.engine.events import Finished
from toolweave.errors import Conflict, Denied, Invalid, NotFound, ToolweaveError, Unavailable
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.github import trigger as github
from toolweave.nodes.services.mail import trigger as email
from toolweave.nodes.services.slack import trigger as slack
from toolweave.nodes.services.slack.names import SlackNames
from toolweave.nodes.trigger import webhook, workflow_failed
from toolweave.nodes.trigger._delivery import Accepted, Delivery, Refused
from toolweave.resources.http import NodeHttpClient
from toolweave.tasks import background, keep_going
from toolweave.triggers import deliveries, schedules
from toolweave.triggers import failed_runs as failures
from toolweave.triggers import file_watch as watching
from toolweave.triggers import imap as mail
from toolweave.triggers.activation import TriggerActivation, hooks_of
from toolweave.triggers.active_triggers import ActiveTriggers, ActiveTriggerSettings
from toolweave.triggers.event_delivery import EventDelivery
from toolweave.triggers.event_listeners import EventListener, EventListeners
from toolweave.triggers.fleet_schedules import FleetSchedules
from toolweave.triggers.mail_api import MailApis, open_mail_apis
from toolweave.triggers.polling import PollingTrigger
from toolweave.triggers.recent_events import Outcome, TriggerEvents
from toolweave.workflow.model import Workflow

logger = logging.getLogger(__name__)

# An unknown path may have been enabled just now.
REFRESH_EVERY_S = 0.25
NOTE_EVERY_S = 10.0

ACCEPTS: Mapping[str, Callable[[JsonObject, Delivery], Accepted]] = {
    "TRIGGER.WEBHOOK": webhook.accepts,
    "TRIGGER.GITHUB": github.accepts,
    "TRIGGER.SLACK": slack.accepts,
    "TRIGGER.EMAIL": email.accepts,
}


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """The outcome of a delivery: runs, reasons why a trigger started none, or a challenge."""

    runs: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    challenge: str | None = None
    # It was only kept as a test event.
    is_test: bool = False
    response_format: str = "json"


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A delivery that was accepted but whose workflow cannot run; with the error's code."""

    code: str


class Triggers:
    """The triggers of one process."""

    def __init__(
        self,
        home: Home,
        engine: Engine,
        *,
        roots: Sequence[Path] = (),
        slack_names: SlackNames | None = None,
        mail_apis: MailApis | None = None,
    ) -> None:
        self.switches = TriggerActivation(home, roots=roots)
        secrets = SecretTexts(home.vault, home.masker)
        self.event_delivery = EventDelivery(engine, secrets, home.clock)
        self._clock = home.clock
        self._engine = engine
        self._slack_names = slack_names
        switches = self.switches
        self.active = ActiveTriggers(switches.activations, switches.kinds, switches.present)
        self.recent_events = TriggerEvents(home.database, home.clock)
        self.poller = PollingTrigger(
            self.active, switches.activations, engine.runs, home.clock, self.recent_events
        )
        self.schedules = schedules.Schedules(self.poller)
        self.watching = watching.Watching(self.poller, switches.roots)
        self.mails = mail.Mails(
            self.poller,
            switches.sign_in,
            self._accepts_mail,
            switches.mail_address,
            mail_apis.new if mail_apis is not None else None,
        )
        self.failures = failures.Failures(
            self.poller, home.database, engine.journal, _accepts_failure
        )
        self.listeners = EventListeners(home.clock)
        self._refreshing = anyio.Lock()
        self._refreshed_at = -REFRESH_EVERY_S
        self._noted: dict[str, float] = {}

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Poll while this is entered."""
        await self.active.refresh()
        async with self.recent_events.writing(), background() as tasks:
            tasks.start_soon(keep_going, self.poller.follow)
            if (kept := self._engine.backend.schedules) is not None:
                tasks.start_soon(keep_going, FleetSchedules(self._engine, self.poller, kept).keep)
            else:
                tasks.start_soon(
                    keep_going, self.poller.forever, schedules.REF, self.schedules.poll
                )
            tasks.start_soon(keep_going, self.poller.forever, watching.REF, self.watching.poll)
            tasks.start_soon(keep_going, self.poller.forever, mail.REF, self.mails.poll)
            tasks.start_soon(keep_going, self.poller.forever, failures.REF, self.failures.poll)
            yield

    async def has_path(self, path: str) -> bool:
        """Whether a trigger, a waiting run or a test listens at a path below `/hooks`."""
        plain = deliveries.plain_path(path)
        return bool(
            self._listening_at(plain) or await self._at(plain)
        ) or await self.event_delivery.has_path(path)

    async def listen(self, workflow: Workflow, node: str) -> EventListener:
        """Listen for one event of a trigger that need not be active.

        Raises `TRIGGER_NOT_FOUND`; `Invalid` for settings that cannot be used, `TRIGGER_POLLS` for
        a trigger without an address; `HOOK_PATH_TAKEN` for the address of another workflow.
        """
        trigger = await self.switches.draft(workflow, node)
        for path in hooks_of(trigger):
            for active in await self._at(path):
                if active.row.path == path and active.row.workflow != trigger.row.workflow:
                    message = f"workflow {active.name!r} already uses the path {path!r}"
                    raise Conflict("HOOK_PATH_TAKEN", message, hint="choose another path")
        return self.listeners.open(trigger)

    async def deliver(self, arrival: WebhookRequest) -> DeliveryResult:
        """Start a run for each trigger that a request authenticates to and whose filters it passes.

        A repeated delivery returns the same runs. Without a trigger it goes to waiting runs.

        Raises:
            NotFound: `HOOK_NOT_FOUND`.
            Denied: `HOOK_DENIED` if the request is not authenticated.
            ToolweaveError: `METHOD_NOT_ALLOWED`, with the allowed ones in `facts`.
            Invalid: `JSON_INVALID`; `WORKFLOW_INVALID` when no workflow at this path can run.
            Unavailable: `HOOK_PAUSED`.
        """
        path = deliveries.plain_path(arrival.path)
        meant = await self._at(path)
        if self._listening_at(path):
            if not meant:  # it may have been activated since the last look
                await self.active.refresh()
                meant = self._known_at(path)
            with suppress(ToolweaveError) if meant else nullcontext():
                heard = await self._heard(arrival)
                if not meant:
                    return heard
        if not meant:
            return await self._call_in(arrival)
        _check_method(meant, arrival)
        proven = [active for active in meant if await self._is_authenticated(active, arrival)]
        if not proven:
            raise Denied("HOOK_DENIED", "the request is not authenticated")
        body = parse_body(arrival)
        if (challenge := _challenge(proven, body)) is not None:
            return DeliveryResult(challenge=challenge)
        outcomes = [await self._start(one, arrival, body) for one in await self._awake(proven)]
        failed = [one.code for one in outcomes if isinstance(one, NotStarted)]
        if failed and len(failed) == len(outcomes):
            # Problems of the workflow are for its owner, not for the sender.
            raise Invalid(failed[0], "the workflow of this hook cannot run")
        return DeliveryResult(
            tuple(one for one in outcomes if isinstance(one, str)),
            tuple(one.reason for one in outcomes if isinstance(one, Refused)),
            response_format=str(proven[0].config.get("response_format", "json")),
        )

    async def _awake(self, proven: Sequence[ActiveTriggerSettings]) -> list[ActiveTriggerSettings]:
        """Return the triggers that are not paused; if all are, the sender may retry later."""
        # Read again: once a user was shown that it is paused, nothing starts.
        paused = await self.switches.activations.paused()
        awake = [one for one in proven if (one.row.workflow, one.row.node) not in paused]
        if not awake:
            for active in proven:
                self._fired(active, "paused")
            hint = "send it again later; the owner of this studio can resume it"
            raise Unavailable("HOOK_PAUSED", "this hook is paused", hint=hint)
        return awake

    def _listening_at(self, path: str) -> list[EventListener]:
        waiting = self.listeners.waiting
        return [one for one in waiting if deliveries.listens_at(one.trigger, path)]

    async def _heard(self, arrival: WebhookRequest) -> DeliveryResult:
        """Keep a delivery for those who listen for a test event; no run starts."""
        listening = self._listening_at(deliveries.plain_path(arrival.path))
        _check_method([one.trigger for one in listening], arrival)
        proven = [one for one in listening if await self._unproven(one.trigger, arrival) is None]
        if not proven:
            raise Denied("HOOK_DENIED", "the request is not authenticated")
        body = parse_body(arrival)
        if (challenge := _challenge([one.trigger for one in proven], body)) is not None:
            return DeliveryResult(challenge=challenge)
        ignored: list[str] = []
        for one in proven:
            accepted = await self._accepted(one.trigger, _delivery(one.trigger, arrival, body))
            if isinstance(accepted, Refused):
                ignored.append(accepted.reason)
            else:
                one.keep(accepted)
        return DeliveryResult(ignored=tuple(ignored), is_test=len(ignored) < len(proven))

    async def _call_in(self, arrival: WebhookRequest) -> DeliveryResult:
        handed = await self.event_delivery.call(arrival)
        if handed is None:
            raise NotFound("HOOK_NOT_FOUND", f"no workflow has a hook at {arrival.path[:200]!r}")
        return DeliveryResult(handed.runs, handed.ignored)

    async def ended(self, run: str, wait_s: float) -> Finished | None:
        """Return how a run ended, if it does within some seconds."""
        with anyio.move_on_after(wait_s):
            return await self._engine.end_of(run)
        return None

    async def _at(self, path: str) -> list[ActiveTriggerSettings]:
        if not (found := self._known_at(path)):
            async with self._refreshing:  # concurrent requests use its result
                now = self._clock.monotonic()
                if now - self._refreshed_at >= REFRESH_EVERY_S:
                    await self.active.refresh()
                    self._refreshed_at = now
                found = self._known_at(path)
        return found

    def _known_at(self, path: str) -> list[ActiveTriggerSettings]:
        return [active for active in self.active.active if deliveries.listens_at(active, path)]

    async def _is_authenticated(
        self, active: ActiveTriggerSettings, arrival: WebhookRequest
    ) -> bool:
        reason = await self._unproven(active, arrival)
        if reason is not None:
            extra = {"workflow": active.name, "node": active.row.node, "reason": reason}
            logger.warning("a delivery was not authenticated", extra=extra)
            self._fired(active, "refused", reason=reason)
        return reason is None

    async def _unproven(self, active: ActiveTriggerSettings, arrival: WebhookRequest) -> str | None:
        """Return why a request is not authenticated; nothing if it is."""
        try:
            proof = await self.switches.proof_of(active.row.ref, active.config)
        except ToolweaveError as error:
            return error.code
        if proof is None:
            return None
        way, secret = proof
        return deliveries.PROOFS[way](arrival, secret)

    async def _start(
        self, active: ActiveTriggerSettings, arrival: WebhookRequest, body: Json
    ) -> str | Refused | NotStarted:
        row = active.row
        accepted = await self._accepted(active, _delivery(active, arrival, body))
        if isinstance(accepted, Refused):
            self._fired(active, "ignored", reason=accepted.reason)
            return accepted
        same = deliveries.same_by(row.ref, arrival, body)
        if same is None and row.ref == "TRIGGER.EMAIL":
            same = str(accepted["email_id"]) or None
        once_key = active.once_key(same) if same else None
        try:
            run = await self._engine.runs.start(active.request(accepted, once_key=once_key))
        except Invalid as error:
            return await self._failed(active, error)
        self._fired(active, "started", run=run)
        await self._note(active)
        return run

    async def _failed(self, active: ActiveTriggerSettings, error: Invalid) -> NotStarted:
        """Record that a delivery was accepted and its workflow cannot run."""
        row, reason = active.row, f"{error.code}: {error.message}"
        logger.warning(
            "a delivery started no run",
            extra={"workflow": active.name, "node": row.node, "code": error.code},
        )
        self._fired(active, "refused", reason=reason)
        await self.switches.activations.failed(row.workflow, row.node, reason)
        return NotStarted(error.code)

    def _fired(
        self,
        active: ActiveTriggerSettings,
        outcome: Outcome,
        *,
        run: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.recent_events.note(
            active.row.workflow, active.row.node, outcome, run=run, reason=reason
        )

    async def _accepted(self, active: ActiveTriggerSettings, delivery: Delivery) -> Accepted:
        if active.row.ref != "TRIGGER.SLACK" or self._slack_names is None:
            return ACCEPTS[active.row.ref](active.config, delivery)
        channel, user = slack.ids_of(delivery)
        # Without the channel's name it may have been refused for that alone.
        token = await self.switches.secret(str(active.config.get("bot_token")))
        names = {channel: await self._slack_names.name("channel", channel, token)}
        accepted = slack.accepts(active.config, replace(delivery, names=names))
        if isinstance(accepted, Refused):
            return accepted
        names[user] = await self._slack_names.name("user", user, token)
        return slack.accepts(active.config, replace(delivery, names=names))

    async def _note(self, active: ActiveTriggerSettings) -> None:
        """Record that a trigger fired, at intervals: a busy webhook need not write each time."""
        key, now = active.once_key(""), self._clock.monotonic()
        if now - self._noted.get(key, -NOTE_EVERY_S) >= NOTE_EVERY_S:
            self._noted[key] = now
            await self.switches.activations.fired(active.row.workflow, active.row.node)

    def _accepts_mail(
        self, active: ActiveTriggerSettings, raw: bytes, identity: str
    ) -> JsonObject | None:
        now = timestamp(self._clock.now())
        return _inputs(email.accepts_raw(active.config, raw, identity, now))


@asynccontextmanager
async def open_triggers(
    home: Home, engine: Engine, *, roots: Sequence[Path] = ()
) -> AsyncGenerator[Triggers]:
    """Open the triggers of a process; the engine must drive runs."""
    secrets = SecretTexts(home.vault, home.masker)
    http = NodeHttpClient(secrets, allow_private=home.settings.allow_private_http)
    names = SlackNames(http, home.clock)
    apis = open_mail_apis(home, http, secrets)
    triggers = Triggers(home, engine, roots=roots, slack_names=names, mail_apis=apis)
    try:
        async with triggers.running():
            yield triggers
    finally:
        with anyio.CancelScope(shield=True):
            await http.aclose()


def _accepts_failure(active: ActiveTriggerSettings, failed: JsonObject) -> JsonObject | None:
    return _inputs(workflow_failed.accepts(active.config, failed, own=active.name))


def _inputs(accepted: Accepted) -> JsonObject | None:
    return None if isinstance(accepted, Refused) else accepted


def _delivery(active: ActiveTriggerSettings, arrival: WebhookRequest, body: Json) -> Delivery:
    """Return a request as the filters of a trigger see it, without its proof."""
    hides_token = active.row.ref == "TRIGGER.EMAIL" or (
        active.config.get("authentication") == "query_param"
    )
    return Delivery(
        method=arrival.method,
        path=deliveries.plain_path(arrival.path),
        headers=deliveries.shown_headers(arrival),
        query=deliveries.shown_query(arrival, hides_token=hides_token),
        body=body,
        received_at=timestamp(arrival.received_at),
        client_ip=arrival.client_ip,
    )


def _check_method(meant: Sequence[ActiveTriggerSettings], arrival: WebhookRequest) -> None:
    """Services use POST; a webhook declares its methods."""
    allowed: set[str] = set()
    for active in meant:
        methods = active.config.get("allowed_methods")
        allowed.update(map(str, methods) if isinstance(methods, list) else ("POST",))
    if arrival.method not in allowed:
        raise ToolweaveError(
            "METHOD_NOT_ALLOWED",
            "this hook does not accept this method",
            facts={"allow": sorted(allowed)},
        )


def _challenge(proven: Sequence[ActiveTriggerSettings], body: Json) -> str | None:
    """Return Slack's URL verification challenge, which it expects back."""
    if not isinstance(body, dict) or body.get("type") != "url_verification":
        return None
    found = body.get("challenge")
    is_slack = any(active.row.ref == "TRIGGER.SLACK" for active in proven)
    return found if is_slack and isinstance(found, str) else None
