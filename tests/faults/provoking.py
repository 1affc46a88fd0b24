"""One misbehaving server beside a good one, through the real gate: the outcome and its cost."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from faults.cost import measured
from faults.offspring import family_ends
from faults.studios import HOSTILE, add_good, approve, calling, echo, pin, studio_in
from hostile.catalogue import CALL_TIMEOUT, CONNECT_TIMEOUT, HTTP_TIMEOUT, TRIGGER, Vice
from toolweave.app.studio import Studio
from toolweave.errors import Invalid, ToolweaveError
from toolweave.servers.definition import Definition
from toolweave.tools.tool import Tool, ToolCall

GRACE_S = 3.0
UNHURRIED_S = 60.0
HURRIED_S = 1.0
TIMEOUTS = frozenset({CALL_TIMEOUT, CONNECT_TIMEOUT, HTTP_TIMEOUT})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: the codes of the error or of the result's problems; none if all is well."""

    codes: frozenset[str] = frozenset()
    text: str | None = None

    def assert_right_for(self, vice: Vice) -> None:
        """It is one of those the catalogue calls right."""
        if not self.codes:
            assert vice.may_go_on, f"{vice.name} went on with {self.text!r}"
        else:
            assert self.codes & set(vice.codes), f"{vice.name} gave {sorted(self.codes)}"


def deadlines_for(vice: Vice) -> dict[str, float]:
    """Short ones where waiting is the point; else so long that only a hang would reach them."""
    call_s = HURRIED_S if TIMEOUTS & set(vice.codes) else UNHURRIED_S
    hangs_before_calls = vice.when in {"start", "list"} and TIMEOUTS & set(vice.codes)
    connect_s = HURRIED_S if hangs_before_calls else UNHURRIED_S
    return {"call_deadline_s": call_s, "connect_deadline_s": connect_s}


@asynccontextmanager
async def beside_a_good_one(
    home: Path, definition: Definition, *, health_every_s: float = 30.0, **limits: float
) -> AsyncGenerator[Studio]:
    """A studio with the hostile server approved and a good one busy; all else is asserted.

    Inside, a good server is called all the time. Afterwards: every such call worked, one more
    does, the loop and the memory bore it, and no process is left.
    """
    with family_ends() as family:
        async with studio_in(home, limits, health_every_s=health_every_s) as studio:
            await add_good(studio)
            await approve(studio, HOSTILE, definition)
            async with calling(studio) as neighbour, measured() as cost:
                yield studio
                family.look()
            cost.assert_bearable()
            neighbour.assert_unaffected()
            assert (await echo(studio)).text == "hi"
            family.look()


async def tools_or_reason(studio: Studio) -> dict[str, Tool] | Outcome:
    """List and approve the hostile server's tools, or say why that cannot be done."""
    limits = studio.home.settings.limits
    try:
        # The handshake and then the list may each take all their time.
        with anyio.fail_after(2 * limits.connect_deadline_s + GRACE_S):
            await pin(studio, HOSTILE)
            return {tool.name: tool for tool in await studio.gate.tools(HOSTILE)}
    except ToolweaveError as error:
        return _outcome(error)


async def call(studio: Studio, tool: str = TRIGGER, **arguments: str) -> Outcome:
    """Call the hostile server; it must be over by the deadline and three seconds."""
    try:
        with anyio.fail_after(studio.home.settings.limits.call_deadline_s + GRACE_S):
            result = await studio.gate.call(ToolCall(HOSTILE, tool, {**arguments}))
    except ToolweaveError as error:
        return _outcome(error)
    return Outcome(frozenset(problem.code for problem in result.problems), result.text)


def _outcome(error: ToolweaveError) -> Outcome:
    problems = error.problems if isinstance(error, Invalid) else ()
    return Outcome(frozenset({error.code, *(problem.code for problem in problems)}))
