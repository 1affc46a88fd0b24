"""Replies of people from other systems: taken in once, given to the run that asked.

A run that waits holds nothing. One look of a channel is for all open questions of it, and nobody
looks where nothing is open.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Literal, TypeAlias

import anyio
from anyio.abc import TaskGroup

from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.node import NodeContext, NodeInput, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.clock import timestamp
from toolweave.credentials.services import vault_services
from toolweave.engine.context import EngineServices, StepContext
from toolweave.engine.engine import Engine
from toolweave.engine.open_questions import OpenQuestion, Questions
from toolweave.errors import Conflict, ToolweaveError
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.nodes.human._buttons import LATE, NOT_ASKED, NOT_COUNTED
from toolweave.nodes.human._incoming_reply import IncomingReply, the_one
from toolweave.nodes.services.discord import messages as _discord
from toolweave.nodes.services.mail import replies as _mail
from toolweave.nodes.services.slack import messages as _slack
from toolweave.nodes.services.telegram import messages as _telegram
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import GrantedTokens, ImapMailboxes
from toolweave.tasks import background, internal_errors, keep_going
from toolweave.tools.tool import ToolCaller
from toolweave.workflow.question import Channel

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
LOOK_FOR_MAIL_EVERY_S = 30.0
# How long after its end a question is remembered to those who answer late.
REMEMBERED = timedelta(days=2)
FORGET_AFTER = timedelta(days=30)

Taken: TypeAlias = Literal["answered", "late", "again", "nobody asked", "not asked", "uncounted"]
# What somebody is told whose answer does not count.
UNCOUNTED: dict[Taken, str] = {"late": LATE, "not asked": NOT_ASKED, "uncounted": NOT_COUNTED}
Look: TypeAlias = Callable[[NodeContext, JsonObject], Awaitable[list[IncomingReply]]]
Say: TypeAlias = Callable[[NodeContext, JsonObject, str], Awaitable[None]]

LOOKS: Mapping[Channel, Look] = {
    "slack": _slack.looked_up,
    "discord": _discord.looked_up,
    "gmail": _mail.from_gmail,
    "outlook": _mail.from_outlook,
}
SAYS: Mapping[Channel, Say] = {
    "slack": _slack.say,
    "discord": _discord.say,
    "telegram": _telegram.say,
}


CHANNELS: tuple[Channel, ...] = ("slack", "discord", "telegram", "gmail", "outlook")


class Replies:
    """Takes in what people say."""

    def __init__(
        self, home: Home, engine: Engine, *, tools: ToolCaller, resources: Resources
    ) -> None:
        self.questions = Questions(home.database)
        self._home = home
        self._engine = engine
        self._services = EngineServices(tools, home.clock, resources)
        # By credential: up to which update a bot's messages were read.
        self._seen: dict[str, int | None] = {}
        # When to look into a channel again.
        self._next: dict[Channel, float] = {}

    @property
    def context(self) -> NodeContext:
        """What is needed to speak to a service, as nodes have it."""
        facts = RunFacts("people", "people", self._home.clock.now())
        given = NodeInput({"timeout": 30})
        return StepContext(given, facts, "people", 1, None, self._services)

    async def take(self, heard: IncomingReply) -> tuple[Taken, OpenQuestion | None]:
        """Give what somebody said to the run that asked; the same thing again changes nothing."""
        since = timestamp(self._home.clock.now() - REMEMBERED)
        known = {one.id: one for one in await self.questions.lately(heard.channel, since)}
        are_open = [one.question for one in known.values() if one.closed_at is None]
        meant = the_one(heard, are_open)
        if meant is None and not heard.is_loose:
            meant = the_one(heard, [one.question for one in known.values()])
        if meant is None:
            return "nobody asked", None
        found = known[meant.id]
        if not await self._is_new(heard):
            return "again", found
        if found.closed_at is not None:
            return "late", found
        try:
            why = await self._engine.answer(
                found.run, found.step, heard.reply, by=heard.who, via=heard.channel
            )
        except Conflict:
            return "late", found
        if why is None:
            return "answered", found
        return ("uncounted" if found.question.asks(heard.who) else "not asked"), found

    async def polite(self, taken: Taken, found: OpenQuestion | None) -> None:
        """Tell somebody whose answer does not count: it came too late, or from another person."""
        if found is None or taken not in UNCOUNTED:
            return
        thread, say = found.question.thread, SAYS.get(found.question.channel)
        if thread is None or say is None:
            return
        try:
            await say(self.context, thread, UNCOUNTED[taken])
        except ToolweaveError as error:
            logger.warning(
                "a reply that does not count could not be acknowledged", extra={"code": error.code}
            )

    async def look(self, channel: Channel) -> None:
        """Look once for replies to every open question of a channel."""
        found = await self.questions.open(channel)
        if channel == "telegram":
            await self._look_at_bots(found)
            return
        for one in found:
            if one.question.thread is None:
                continue
            try:
                said = await LOOKS[channel](self.context, one.question.thread)
            except ToolweaveError as error:
                extra = {"question": one.id, "code": error.code}
                logger.warning("replies cannot be read", extra=extra)
                continue
            for heard in said:
                await self._take_politely(heard)

    async def _look_at_bots(self, found: Sequence[OpenQuestion]) -> None:
        threads = [one.question.thread for one in found if one.question.thread is not None]
        for credential in {str(thread.get("credential") or "") for thread in threads}:
            try:
                after = self._seen.get(credential)
                new, after = await _telegram.updates(self.context, credential, after)
            except ToolweaveError as error:
                # A bot whose messages are posted to us cannot be asked for them.
                if error.code != "SERVICE_CONFLICT":
                    logger.warning("a bot's messages cannot be read", extra={"code": error.code})
                continue
            for update in new:
                heard = _telegram.delivered(update)
                if heard is not None:
                    await self._take_politely(heard)
            self._seen[credential] = after

    async def _take_politely(self, heard: IncomingReply) -> None:
        await self.polite(*await self.take(heard))

    async def _is_new(self, heard: IncomingReply) -> bool:
        now = self._home.clock.now()
        added = await self._home.database.execute(
            "INSERT INTO heard (channel, message, at) VALUES (?, ?, ?) "
            "ON CONFLICT (channel, message) DO NOTHING",
            heard.channel,
            heard.id[:500],
            timestamp(now),
        )
        return bool(added)

    async def forget(self) -> None:
        """Drop what nobody will deliver again."""
        before = timestamp(self._home.clock.now() - FORGET_AFTER)
        await self._home.database.execute("DELETE FROM heard WHERE at < ?", before)

    async def keep_looking(self, tasks: TaskGroup) -> None:
        """Look into every channel where something is open, each in its own time."""
        while True:
            try:
                for channel in await self.questions.channels():
                    if channel in CHANNELS and self._is_due(channel):
                        self._next[channel] = float("inf")  # one look at a time
                        tasks.start_soon(self._look_once, channel)
            except ToolweaveError as error:
                logger.warning("questions cannot be read", extra={"code": error.code})
            await self._home.clock.sleep(LOOK_EVERY_S)

    def _is_due(self, channel: Channel) -> bool:
        return self._next.get(channel, 0.0) <= self._home.clock.monotonic()

    async def _look_once(self, channel: Channel) -> None:
        try:
            with internal_errors(channel=channel):
                await self.look(channel)
        except ToolweaveError as error:
            logger.warning("replies cannot be read", extra={"code": error.code})
        finally:
            every_s = LOOK_FOR_MAIL_EVERY_S if channel in {"gmail", "outlook"} else 0.0
            self._next[channel] = self._home.clock.monotonic() + every_s

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look for replies for as long as this is entered."""
        await self.forget()
        async with background() as tasks:
            tasks.start_soon(keep_going, self.keep_looking, tasks)
            yield


@asynccontextmanager
async def open_replies(home: Home, engine: Engine, tools: ToolCaller) -> AsyncGenerator[Replies]:
    """Replies of a process that hosts them."""
    secrets = SecretTexts(home.vault, home.masker)
    http = NodeHttpClient(secrets, allow_private=home.settings.allow_private_http)
    resources = Resources(
        http=http,
        services=vault_services(home, http),
        mailboxes=ImapMailboxes(secrets, allow_private=home.settings.allow_private_http),
        mail_tokens=GrantedTokens(secrets, http, masker=home.masker, clock=home.clock),
    )
    replies = Replies(home, engine, tools=tools, resources=resources)
    try:
        async with replies.running():
            yield replies
    finally:
        with anyio.CancelScope(shield=True):
            await http.aclose()
