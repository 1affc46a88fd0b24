"""Tools that take their time: `countdown` with progress, `slow` without. Both can be cancelled."""

from typing import Annotated

import anyio
from pydantic import Field

from toolweave.demo.tool import (
    Answer,
    DemoCall,
    DemoModel,
    DemoTool,
    structured_result,
    text_result,
)


class CountdownArguments(DemoModel):
    """What `countdown` takes."""

    start: Annotated[int, Field(description="The first number.", ge=1, le=10_000)] = 5
    step_delay_s: Annotated[
        float, Field(description="Seconds between two numbers.", ge=0, le=60)
    ] = 0.2


class Countdown(DemoModel):
    """What `countdown` gives."""

    steps: int


async def _countdown(arguments: CountdownArguments, call: DemoCall) -> Answer:
    total = arguments.start
    for done in range(1, total + 1):
        await anyio.sleep(arguments.step_delay_s)
        left = total - done
        await call.context.session.report_progress(
            done, total, f"{left} to go" if left else "lift-off"
        )
    return structured_result(Countdown(steps=total), f"Counted down from {total}.")


class SlowArguments(DemoModel):
    """What `slow` takes."""

    seconds: Annotated[float, Field(description="How long to wait.", ge=0, le=3600)] = 1


async def _slow(arguments: SlowArguments, _call: DemoCall) -> Answer:
    await anyio.sleep(arguments.seconds)
    return text_result(f"Waited {arguments.seconds:g} s.")


TOOLS = (
    DemoTool(
        name="countdown",
        title="Count down",
        description="Count down from `start`, reporting progress after every step, then return. "
        "Stops at once when the call is cancelled.",
        takes=CountdownArguments,
        gives=Countdown,
        run=_countdown,
    ),
    DemoTool(
        name="slow",
        title="Be slow",
        description="Wait the given seconds without a word, then return. Use it to try out "
        "timeouts and cancelling.",
        takes=SlowArguments,
        run=_slow,
    ),
)
