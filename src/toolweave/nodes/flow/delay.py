"""FLOW.DELAY: wait, then pass the input on."""

from datetime import datetime, timedelta

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.clock import timestamp
from toolweave.json_text import JsonObject


class Delay:
    """Holds a run for a set time."""

    spec = NodeSpec(
        type="FLOW",
        subtype="DELAY",
        summary="Wait a set time, then pass the input on.",
        effect="keyed",
        configurations=(
            Field(
                "duration_seconds",
                "float",
                "Seconds to wait: 3600 for an hour; waiting costs nothing.",
                5.0,
                minimum=0,
                maximum=31_536_000,
            ),
        ),
        inputs=(Field("data", "any", "What is passed on after the wait.", required=True),),
        outputs=(
            Field("data", "any", "The input, unchanged."),
            Field(
                "delay_info",
                "object",
                "planned_delay_seconds, actual_delay_seconds, delay_start_time, delay_end_time, "
                "delay_type_used and was_cancelled.",
                members="{planned_delay_seconds: number, actual_delay_seconds: number, "
                "delay_start_time, delay_end_time, delay_type_used, "
                "was_cancelled: boolean}",
            ),
        ),
        tags=("flow", "delay", "time"),
        keywords=(
            *("delay", "sleep", "wait", "pause", "timer"),
            *("seconds", "minutes", "later", "throttle", "cool down"),
        ),
        examples=(
            Example(
                "Be gentle",
                "Three seconds between two calls of an API.",
                {"duration_seconds": 3},
                {"data": {"page": 2}},
                {"data": {"page": 2}},
            ),
            Example(
                "Remind tomorrow",
                "A day later the same data goes on.",
                {"duration_seconds": 86_400},
                {"data": {"user": "u-1", "text": "Your trial ends soon."}},
                {"data": {"user": "u-1", "text": "Your trial ends soon."}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """The input, after the time; an answer from outside ends the wait early."""
        given, now = context.given, context.now()
        planned_s = given.number("duration_seconds")
        began = now
        if context.resumed is not None:
            began = datetime.fromisoformat(str(context.resumed.memory))
        elif planned_s > 0:
            return Wait(now + timedelta(seconds=planned_s), memory=timestamp(now))
        info: JsonObject = {
            "planned_delay_seconds": planned_s,
            "actual_delay_seconds": (now - began).total_seconds(),
            "delay_start_time": timestamp(began),
            "delay_end_time": timestamp(now),
            "delay_type_used": "fixed",
            "was_cancelled": context.resumed is not None and context.resumed.by == "answer",
        }
        return Outcome({"data": given.value("data"), "delay_info": info})


node = Delay()
