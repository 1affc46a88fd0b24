"""Keeps what steps of runs exchange with tools and models, so that a run can be recorded later.

`KeptTools` and `KeptModel` stand before the gate and the model caller. Entries are written in the
background; a crash loses at most the last ones, whose steps are then recorded from the journal.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Literal

import anyio

from toolweave import json_text
from toolweave.access.mask import Masker
from toolweave.catalog.resources.model import (
    ModelCaller,
    ModelQuestion,
    ModelReply,
    TextListener,
)
from toolweave.clock import Clock, timestamp
from toolweave.engine.context import current_step
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.recording.wire import (
    keeping,
    write_error,
    write_progress,
    write_question,
    write_result,
)
from toolweave.storage.database import Database, Value
from toolweave.tasks import background
from toolweave.tools.elicitation import Asker
from toolweave.tools.tool import (
    AskingToolCaller,
    ProgressListener,
    ToolCall,
    ToolProgress,
    ToolResult,
)

logger = logging.getLogger(__name__)

ExchangeKind = Literal["call", "model"]

# In place of an exchange that is too large; its step is recorded from the journal.
NOT_KEPT = "{}"
MAX_PROGRESS = 1_000
MAX_UNSAVED = 1_000
PAUSE_S = 0.05

_SAVE = "INSERT INTO exchanges (run, step, kind, at, took_ms, body) VALUES (?, ?, ?, ?, ?, ?)"
_READ = "SELECT step, kind, at, took_ms, body FROM exchanges WHERE run = ? ORDER BY number"


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """One kept exchange of a step; an empty body stands for one that was too large."""

    step: str
    kind: ExchangeKind
    at: str
    took_ms: float
    body: JsonObject


async def exchanges_of(database: Database, run: str) -> list[KeptExchange]:
    """Return the kept exchanges of a run, in the order they ended."""
    found: list[KeptExchange] = []
    for step, kind, at, took_ms, text in await database.rows(_READ, run):
        body = json_text.read(text)
        found.append(KeptExchange(step, kind, at, took_ms, body if isinstance(body, dict) else {}))
    return found


class ExchangeLog:
    """Collects exchanges; a background task writes them."""

    def __init__(self, database: Database, clock: Clock, masker: Masker, *, max_bytes: int) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._clock = clock
        self._masker = masker
        self._unsaved: list[tuple[Value, ...]] = []
        self._wake = anyio.Event()

    def begin(self) -> tuple[str, float]:
        """Return the time at which an exchange begins, by both clocks."""
        return timestamp(self._clock.now()), self._clock.monotonic()

    def since(self, began: tuple[str, float]) -> float:
        """Return the milliseconds since an exchange began."""
        return (self._clock.monotonic() - began[1]) * 1000

    def add(self, key: str, kind: ExchangeKind, began: tuple[str, float], body: JsonObject) -> None:
        """Keep one exchange of the step `key` (`RUN/STEP`), without known secrets."""
        run, _, step = key.partition("/")
        if not step or len(self._unsaved) >= MAX_UNSAVED:
            return
        text = NOT_KEPT
        with suppress(TypeError):  # an integer over 64 bits, or text that is not Unicode
            text = json_text.write(self._masker.hide(body))
        if len(text.encode()) > self._max_bytes:
            text = NOT_KEPT
        self._unsaved.append((run, step, kind, began[0], self.since(began), text))
        self._wake.set()

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write in the background while the context is active, and once at the end."""
        try:
            async with background() as tasks:
                tasks.start_soon(self._write_forever)
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._save()

    async def _write_forever(self) -> None:
        while True:
            await self._wake.wait()
            await self._clock.sleep(PAUSE_S)
            self._wake = anyio.Event()
            with anyio.CancelScope(shield=True):
                await self._save()

    async def _save(self) -> None:
        batch, self._unsaved = self._unsaved, []
        try:
            if batch:
                await self._database.executemany(_SAVE, batch)
        except ToolweaveError:
            # A run never fails because it cannot be recorded.
            logger.exception("exchanges not kept", extra={"count": len(batch)})


class KeptTools:
    """A `ToolCaller` that keeps the calls that steps of runs make."""

    def __init__(self, tools: AskingToolCaller, log: ExchangeLog) -> None:
        self._tools = tools
        self._log = log

    async def call(
        self,
        call: ToolCall,
        *,
        on_progress: ProgressListener | None = None,
        asker: Asker | None = None,
    ) -> ToolResult:
        """Call the tool, and keep the call with what came of it."""
        began = self._log.begin()
        progress: list[JsonObject] = []
        asked: list[JsonObject] = []

        async def hear(reported: ToolProgress) -> None:
            if len(progress) < MAX_PROGRESS:
                progress.append(write_progress(reported, self._log.since(began)))
            if on_progress is not None:
                await on_progress(reported)

        body: JsonObject = {
            "server": call.server,
            "tool": call.tool,
            "arguments": call.arguments,
        }
        try:
            asking = keeping(asker, asked)
            result = await self._tools.call(call, on_progress=hear, asker=asking)
        except ToolweaveError as error:
            self._keep(began, {**body, "error": write_error(error)}, progress)
            raise
        except anyio.get_cancelled_exc_class():
            self._keep(began, {**body, "ended": "cancelled"}, progress)
            raise
        if asked:
            body["asked"] = [*asked]
        self._keep(began, {**body, "result": write_result(result)}, progress)
        return result

    def _keep(self, began: tuple[str, float], body: JsonObject, progress: list[JsonObject]) -> None:
        kept: JsonObject = {**body, "progress": [*progress]}
        self._log.add(current_step.get(), "call", began, kept)


class KeptModel:
    """A `ModelCaller` that keeps what steps of runs ask and what the model replies."""

    def __init__(self, model: ModelCaller, log: ExchangeLog) -> None:
        self._model = model
        self._log = log

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """Ask the model, and keep the request with the reply."""
        began = self._log.begin()
        body: JsonObject = {"request": write_question(question)}
        try:
            reply = await self._model.ask(question, on_text=on_text)
        except ToolweaveError as error:
            self._log.add(current_step.get(), "model", began, {**body, "error": write_error(error)})
            raise
        kept: JsonObject = {**body, "reply": reply.model_dump(mode="json")}
        self._log.add(current_step.get(), "model", began, kept)
        return reply

    async def configured(self, provider: str | None = None) -> bool:
        """Return whether a model is configured."""
        return await self._model.configured(provider)
