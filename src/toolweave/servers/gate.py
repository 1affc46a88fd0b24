"""The gate: the one path of calls to servers, for forms, nodes, documents and the assistant.

Permission, pins, arguments, limits, deadline, retries, cancellation and the call record
are handled here, once. The deadline uses the event loop's time, retry delays use the clock.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio

from toolweave.access.mask import Masker
from toolweave.clock import Clock
from toolweave.errors import (
    Cancelled,
    Denied,
    Invalid,
    Limited,
    NotFound,
    TimedOut,
    ToolweaveError,
    Unavailable,
)
from toolweave.problems import did_you_mean
from toolweave.servers.call_list import CallList, StopRequest
from toolweave.servers.connections import Connections
from toolweave.servers.content_parameters import check_parameters
from toolweave.servers.disconnect_reason import mask_error, not_ready_in_time
from toolweave.servers.history import History, Status
from toolweave.servers.json_safety import find_unencodable
from toolweave.servers.limits import ExecutionLimits
from toolweave.servers.lockfile import Lockfile, Pin
from toolweave.servers.registry import Registry
from toolweave.servers.result_secrets import hide_secrets
from toolweave.servers.retry import is_temporary, pause_deadline, retry_delay_s
from toolweave.servers.server_limits import ServerLimits, ServerSlot
from toolweave.servers.shown_tools import ShownTools
from toolweave.servers.skill_reading import SkillRequest, skill_request
from toolweave.servers.task_rule import TaskRule
from toolweave.settings import Settings
from toolweave.storage.shared_limits import SharedLimits
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.elicitation import Asker, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import (
    CallId,
    ProgressListener,
    Tool,
    ToolCall,
    ToolProgress,
    ToolResult,
    tool_hash,
)

if TYPE_CHECKING:  # loads the SDK
    from toolweave.servers.supervisor import LiveConnection

# No tool for a call that is another request.
Ready = tuple["LiveConnection", Tool | None]

STOP_POLL_S = 0.5
# Failures of a call that may mean that the whole server is gone.
LOST = frozenset({"MCP_SERVER_DISCONNECTED", "SERVER_UNREACHABLE"})


class Gate:
    """The real `ToolCaller`."""

    def __init__(
        self,
        registry: Registry,
        connections: Connections,
        lockfile: Lockfile,
        *,
        limits: ExecutionLimits,
        shared_limits: SharedLimits,
        history: History,
        masker: Masker,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self.limits = limits
        self.history = history
        self.registry = registry
        self.connections = connections
        self.lockfile = lockfile
        self.shown_tools = ShownTools()
        self._masker = masker
        self._clock = clock
        self._settings = settings
        self._server_limits = ServerLimits(registry, shared_limits)
        self._running: dict[CallId, anyio.CancelScope] = {}
        self._documents: dict[CallId, str] = {}  # the scopes of calls of documents
        self._started = anyio.Event()  # set when a call begins
        self._cancelled: set[CallId] = set()  # calls whose scope did not end at its deadline
        # The last comparison: a definition is hashed once, not for every call.
        self._unchanged: dict[tuple[str, str], tuple[Pin, Tool]] = {}

    async def call(
        self,
        call: ToolCall,
        *,
        on_progress: ProgressListener | None = None,
        asker: Asker | None = None,
    ) -> ToolResult:
        """Call the tool.

        Raises:
            Invalid: the arguments are invalid; all problems are listed.
            NotFound: the server or tool does not exist.
            Denied: not approved, disabled, or the tool changed since it was approved.
            Limited: a limit is reached, or calls are stopped.
            Unavailable: the server is down or violates the protocol.
            TimedOut: the deadline passed.
            Cancelled: `cancel` was called.
            Conflict: a call with the same id is still running.
        """
        max_retries = 0 if call.effect == "once" else len(self._settings.retry.waits_s)
        self.history.submitted(call, max_retries=max_retries)
        if call.source == "document":
            self._documents[call.id] = call.scope
        hear = None if on_progress is None else partial(self._hear, on_progress)
        try:
            return await self._attempts(call, max_retries, hear, asker)
        except ToolweaveError as error:
            shown = mask_error(error, self._masker)
            self._failed(call, shown)
            raise shown from None
        except anyio.get_cancelled_exc_class():
            self.history.finished(call, "cancelled", code="CALL_CANCELLED")
            raise
        finally:
            self._running.pop(call.id, None)
            self._documents.pop(call.id, None)
            self._cancelled.discard(call.id)
            # Still open only after an internal error, or an error while answering a question.
            self.history.finished(call, "error", code="INTERNAL")

    async def _hear(self, on_progress: ProgressListener, progress: ToolProgress) -> None:
        """Forward progress messages of a running call with secrets masked."""
        if progress.message is not None:
            progress = replace(progress, message=self._masker.mask_text(progress.message))
        await on_progress(progress)

    def cancel(self, call_id: CallId) -> bool:
        """Cancel a running call, also on the server; return whether there was one."""
        scope = self._running.get(call_id)
        if scope is not None:
            self._cancelled.add(call_id)
            scope.cancel()
        return scope is not None

    async def follow_stops(self, calls: CallList) -> None:
        """Cancel calls that any process of this home asks to stop; polls only during calls."""
        while True:
            await self._started.wait()
            self._started = anyio.Event()
            known, is_first = 0, True
            while self._running:
                for request in await calls.stop_requests(known):
                    known = request.number
                    self._stop(request, may_be_old=is_first)
                is_first = False
                await self._clock.sleep(STOP_POLL_S)

    def _stop(self, request: StopRequest, *, may_be_old: bool) -> None:
        """Cancel what a request means; a document of such a call does not go on to its next.

        A call is listed as active before this process has read the requests once, so one may have
        come by then: it names the call, and came after it. The others are of calls that ended.
        """
        meant = [call for call in self._running if call in request.calls]
        if may_be_old:
            meant = [call for call in meant if self.history.is_open_since(call, request.at)]
        elif request.is_for_all:
            meant = list(self._running)
        for call in meant:
            if request.is_for_all and call in self._documents:
                self.limits.stop_session(self._documents[call])
            self.cancel(call)

    async def tools(self, server_name: str, *, deadline_s: float | None = None) -> tuple[Tool, ...]:
        """Return the tools a server lists now, sorted by name.

        With `deadline_s`, a failed connection is retried until then.
        """
        await self._load_sdk(server_name)
        server = await self.registry.get(server_name)
        until = anyio.current_time() + deadline_s if deadline_s is not None else float("inf")
        live: LiveConnection | None = None
        with anyio.CancelScope(deadline=until):
            live = await self.connections.use(server, patient=deadline_s is not None)
        if live is None:
            late = not_ready_in_time(server_name, deadline_s or 0)
            raise self.connections.error(server_name) or late
        return tuple(sorted(live.tools.values(), key=lambda tool: tool.name))

    async def _attempts(
        self,
        call: ToolCall,
        max_retries: int,
        on_progress: ProgressListener | None,
        asker: Asker | None,
    ) -> ToolResult:
        self.limits.check(call)
        own_s, usual_s = call.deadline_s, self._settings.limits.call_deadline_s
        deadline_s = usual_s if own_s is None else own_s
        is_reached = False
        with anyio.CancelScope() as total:
            self._running[call.id] = total
            self._started.set()
            await self._load_sdk(call.server)
            total.deadline = anyio.current_time() + deadline_s
            # Reject a call that can never succeed before it waits or counts.
            ready: Ready | None = await self._ready(call)
            is_reached = True
            server_slot = await self._server_limits.of(call, on_progress)
            patient = None
            if asker is not None:
                patient = pause_deadline(total, self._without_slot(call, asker, server_slot))
            if self.limits.is_full or server_slot.may_wait:
                # Check again: waiting for a slot takes time, and the state may have changed.
                total.deadline, ready = float("inf"), None
            async with server_slot, self.limits.running(call):
                total.deadline = anyio.current_time() + deadline_s
                for attempt in range(max_retries + 1):
                    self.history.executing(call)
                    try:
                        return await self._once(call, ready, on_progress, patient)
                    except (Unavailable, Limited, TimedOut) as error:
                        if attempt == max_retries or not is_temporary(error):
                            raise
                        pause_s = retry_delay_s(error, self._settings.retry, attempt)
                        if pause_s >= total.deadline - anyio.current_time():
                            raise
                    ready = None
                    self.history.again(call)
                    await self._clock.sleep(pause_s)
        if call.id in self._cancelled:
            raise Cancelled("CALL_CANCELLED", f"the call of {call.tool!r} was cancelled")
        if not is_reached:
            raise self.connections.error(call.server) or not_ready_in_time(call.server, deadline_s)
        raise TimedOut(
            "CALL_TIMEOUT",
            f"Execution exceeded {deadline_s:g}s: tool {call.tool!r} of server {call.server!r}",
            hint="increase the call's deadline, or request less data",
        )

    async def _load_sdk(self, server: str) -> None:
        """Load the MCP SDK before a deadline runs, if `server` may be used."""
        if not self.connections.is_loaded:
            await self.connections.load(await self.registry.get(server))

    def _without_slot(self, call: ToolCall, asker: Asker, server_slot: ServerSlot) -> Asker:
        """Let other calls have the slot while a person answers, and mask the question."""

        async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
            form, url = self._masker.hide(question.schema), question.url
            masked = replace(
                question,
                message=self._masker.mask_text(question.message),
                schema=form if isinstance(form, dict) else None,
                url=None if url is None else self._masker.hide_text(url),
            )
            async with server_slot.paused(), self.limits.paused(call):
                return await asker(masked)

        return ask

    async def _once(
        self,
        call: ToolCall,
        ready: Ready | None,
        on_progress: ProgressListener | None,
        asker: Asker | None,
    ) -> ToolResult:
        live, tool = ready or await self._ready(call)
        skill = self._skill_request(call)
        started = self._clock.monotonic()
        try:
            result = await live.connection.call(
                call.tool,
                skill.arguments if skill else call.arguments,
                method="resources/read" if skill else call.method,
                tasks=TaskRule.of(tool, is_returned=call.returns_task),
                on_progress=on_progress,
                asker=asker,
                audience=call.scope if call.source == "workflow" else None,
            )
        except Unavailable as error:
            if error.code in LOST:
                await self.connections.confirm_loss(call.server)
            raise
        took_ms = (self._clock.monotonic() - started) * 1000
        if skill is not None:
            result = skill.checked(result)
        result = hide_secrets(result, live.secrets)
        problems = result.problems
        if tool is not None and result.task is None and not result.is_error:
            problems += tuple(check_output(tool, result.structured))
        result = result.measured(took_ms, problems)
        self._succeeded(call, result)
        return result

    def _skill_request(self, call: ToolCall) -> SkillRequest | None:
        """The file of an approved skill that a call reads. Raises `Denied` or `NotFound`."""
        if call.method != "skills/read":
            return None
        return skill_request(call, self.lockfile.skills(call.server))

    async def _ready(self, call: ToolCall) -> Ready:
        """Return the connection and the tool if the call is allowed now.

        A connection that fails is retried within the call's deadline: nothing was sent yet.
        """
        live = await self.connections.use(await self.registry.get(call.server), patient=True)
        await self.lockfile.refresh()
        return live, self._checked(call, live)

    def _checked(self, call: ToolCall, live: "LiveConnection") -> Tool | None:
        if call.method != "tools/call":
            check_parameters(call)
            return None
        tool = live.tools.get(call.tool)
        if tool is None:
            raise NotFound(
                "MCP_TOOL_NOT_FOUND",
                f"server {call.server!r} has no tool {call.tool!r}",
                hint=did_you_mean(call.tool, live.tools)
                or f"run `toolweave servers tools {call.server}` to list them",
            )
        self._refuse_changed(call.server, tool)
        if not tool.is_usable:
            raise Invalid(
                "MCP_TOOL_SCHEMA_INVALID",
                f"tool {call.tool!r} of server {call.server!r} has an invalid schema",
                problems=tool.problems,
            )
        problems = find_unencodable(call.arguments) or check_arguments(tool, call.arguments)
        if any(problem.severity == "error" for problem in problems):
            raise Invalid(
                "MCP_ARGUMENTS_INVALID",
                f"the arguments of {call.tool!r} have "
                f"{len(problems)} problem{'s' if len(problems) > 1 else ''}",
                problems=problems,
            )
        return tool

    def _refuse_changed(self, server: str, tool: Tool) -> None:
        pin = self.lockfile.known_pins(server).get(tool.name)
        known_pin, known_tool = self._unchanged.get((server, tool.name), (None, None))
        if pin is not None and pin is known_pin and tool is known_tool:
            return
        pin = self.lockfile.pins(server).get(tool.name)  # it may have been approved just now
        if pin is not None and pin.hash == tool_hash(tool):
            self._unchanged[server, tool.name] = pin, tool
            return
        self.lockfile.require_approved()
        changes = self.lockfile.drift(server, [tool])
        mine = next((change for change in changes if change.tool == tool.name), None)
        kind = mine.kind.replace("_", " ") if mine else "changed"
        what = f"changed since it was approved ({kind})" if pin else "was never approved"
        raise Denied(
            "TOOL_CHANGED",
            f"tool {tool.name!r} of server {server!r} {what}",
            hint=f"`toolweave servers diff {server}` shows what changed and what it breaks; "
            f"`toolweave servers approve {server} --changes` accepts it",
            facts={"changes": [line.message for line in mine.changes] if mine else []},
        )

    def _succeeded(self, call: ToolCall, result: ToolResult) -> None:
        status: Status = "error" if result.is_error else "success"
        said = self._masker.mask_text(result.text[:1000]) if result.is_error else None
        code = "TOOL_FAILED" if result.is_error else None
        self.history.finished(call, status, took_ms=result.took_ms, code=code, message=said)

    def _failed(self, call: ToolCall, error: ToolweaveError) -> None:
        by_kind: dict[type, Status] = {TimedOut: "timeout", Cancelled: "cancelled"}
        status = by_kind.get(type(error), "error")
        self.history.finished(call, status, code=error.code, message=error.message)
