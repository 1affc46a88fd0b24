"""FLOW.DELAY: wait, then pass the input on."""

from toolweave.catalog.spec import Example, Field, NodeSpec


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


node = Delay()
