"""One hostile server among a dozen good ones: not one call of the others fails."""

import sys
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from faults.cost import measured
from faults.offspring import family_ends
from faults.studios import add_good, approve, calling, command_of, pin, studio_in
from hostile.catalogue import TRIGGER, named
from toolweave.app.studio import Studio
from toolweave.errors import ToolweaveError
from toolweave.tools.tool import ToolCall

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc"),
]

GOOD_ONES = 12
SECONDS = 4.0
VICES = (
    "huge_line",
    "floods_notifications",
    "request_flood",
    "stderr_flood",
    "broken_json",
    "exits_in_call",
    "hangs_in_call",
)


async def test_no_call_of_a_good_server_fails_while_one_misbehaves(tmp_path: Path) -> None:
    good = [f"good-{number}" for number in range(GOOD_ONES)]
    with family_ends() as family:
        async with studio_in(tmp_path) as studio:
            async with anyio.create_task_group() as tasks:
                for name in good:
                    tasks.start_soon(add_good, studio, name)
            for vice in VICES:
                await approve(studio, vice, command_of(named(vice)))
                await pin(studio, vice)
            family.look()
            async with calling(studio, *good) as neighbours, measured() as cost:
                misdeeds = await _misbehave_for(studio, SECONDS)
            assert misdeeds >= len(VICES)
            neighbours.assert_unaffected()
            assert neighbours.answers >= 10 * GOOD_ONES
            cost.assert_bearable()


async def _misbehave_for(studio: Studio, seconds: float) -> int:
    """Call one vice after another until the time is up; how many misdeeds there were."""
    misdeeds = 0
    ends_at = anyio.current_time() + seconds
    while anyio.current_time() < ends_at or misdeeds < len(VICES):
        vice = VICES[misdeeds % len(VICES)]
        with suppress(ToolweaveError):
            await studio.gate.call(ToolCall(vice, TRIGGER, deadline_s=1.0))
        misdeeds += 1
    return misdeeds
