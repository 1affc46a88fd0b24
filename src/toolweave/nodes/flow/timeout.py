"""FLOW.TIMEOUT: go another way when it is too late."""

from datetime import UTC, datetime, timedelta

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import OUTPUT, Example, Field, NodeSpec, Port
from toolweave.clock import timestamp
from toolweave.errors import Invalid
from toolweave.json_text import Json

MAX_AGE_S = 31_536_000


def read_times(given: NodeInput) -> tuple[datetime | None, datetime | None]:
    """The deadline, and since when the age counts. Raises `NODE_INPUT_INVALID`."""
    deadline, since = given.text("deadline"), given.text("since")
    return (
        _moment("deadline", deadline) if deadline else None,
        _moment("since", since) if since and not deadline else None,
    )


class Timeout:
    """Passes its input on in time, and by `expired` or not at all when it is too late."""

    spec = NodeSpec(
        type="FLOW",
        subtype="TIMEOUT",
        summary="Pass the input on while there is time, and go another way when it is too late.",
        effect="keyed",
        configurations=(
            Field(
                "deadline",
                "string",
                "Last moment that is in time: 2026-03-02T18:00:00Z; it goes before "
                "max_age_seconds.",
            ),
            Field(
                "max_age_seconds",
                "float",
                "Seconds after `since` that are still in time.",
                3600.0,
                minimum=0,
                maximum=MAX_AGE_S,
            ),
            Field(
                "since",
                "string",
                "Moment the age is counted from: {{ data.created_at }}; without it the start of "
                "the run.",
            ),
            Field(
                "when_late",
                "string",
                "expired: it leaves by that port, fail: the node fails.",
                "expired",
                options=("expired", "fail"),
            ),
        ),
        inputs=(Field("data", "any", "What is passed on.", required=True),),
        outputs=(
            Field("data", "any", "The input, unchanged."),
            Field("deadline", "string", "The last moment that was in time."),
            Field("remaining_seconds", "float", "Seconds that are left; below 0 if it is late."),
        ),
        output_ports=(OUTPUT, Port("expired", "Taken when it is too late.", aliases=("timeout",))),
        tags=("flow", "time", "guard"),
        keywords=(
            *("timeout", "deadline", "expired", "too late", "stale"),
            *("age", "time limit", "overdue", "fresh", "sla"),
        ),
        guidance=(
            "It reads the clock once and never waits: FLOW.WAIT has a timeout of its own, and "
            "every node has `timeout` for how long it may take."
        ),
        checks=(read_times,),
        examples=(
            Example(
                "Offer is over",
                "The offer ended long ago, so it leaves by `expired`.",
                {"deadline": "{{ data.valid_until }}"},
                {"data": {"offer": "O-7", "valid_until": "2001-01-01T00:00:00Z"}},
                {
                    "data": {"offer": "O-7", "valid_until": "2001-01-01T00:00:00Z"},
                    "deadline": "2001-01-01T00:00:00.000Z",
                },
                port="expired",
            ),
            Example(
                "Run is young",
                "Nothing since the start of the run took an hour.",
                {"max_age_seconds": 3600},
                {"data": {"step": 4}},
                {"data": {"step": 4}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """The input, by one of two ways."""
        given, now = context.given, context.now()
        deadline, since = read_times(given)
        if deadline is None:
            since = since or context.run.started_at
            deadline = since + timedelta(seconds=given.number("max_age_seconds"))
        is_late = now > deadline
        if is_late and given.text("when_late") == "fail":
            raise Invalid("DEADLINE_PASSED", f"it had to be here by {timestamp(deadline)}")
        value: Json = {
            "data": given.value("data"),
            "deadline": timestamp(deadline),
            "remaining_seconds": (deadline - now).total_seconds(),
        }
        return Outcome(value, ("expired",) if is_late else ("output",))


def _moment(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise refused_at(
            (name,),
            "NODE_INPUT_INVALID",
            f"{name!r} is {text[:80]!r}, which is no time",
            hint="write it as 2026-03-02T18:00:00Z",
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


node = Timeout()
