"""When a schedule is due, in its own time zone: pure, no clock.

As in Debian's cron: a time skipped by the clock runs right after the gap, a time that occurs
twice runs once; `*` hours follow real time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from toolweave.catalog.node_input import NodeInput, refused_at
from toolweave.catalog.time_texts import cron_fault, meant_crons, meant_zones, zone_in_cron
from toolweave.errors import Invalid

# Later than this counts as missed.
ON_TIME = timedelta(seconds=60)
# Searched backwards, so that a minutely schedule after a year off costs little.
_WINDOWS = (timedelta(hours=1), timedelta(days=2), timedelta(days=62))


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron expression in a time zone; the last few missed times are made up."""

    expression: str
    zone: ZoneInfo
    max_missed: int = 1


def read_schedule(expression: str, timezone: str, max_missed: int) -> Schedule:
    """Parse a schedule that occurs at least once. Raises `CRON_INVALID`, `TIMEZONE_UNKNOWN`."""
    zone = _zone(timezone)
    if (fault := cron_fault(expression)) is not None:
        raise _invalid(expression, fault)
    return Schedule(expression, zone, max_missed)


def read_settings(given: NodeInput) -> Schedule:
    """The schedule of a node's settings. Raises `CRON_INVALID`, `TIMEZONE_UNKNOWN`."""
    missed = given.value("max_missed_runs")
    return read_schedule(
        _expression(given),
        str(given.value("timezone")),
        missed if isinstance(missed, int) else 1,
    )


def check_expression(given: NodeInput) -> None:
    """Check the expression, whatever the time zone. Raises `CRON_INVALID`."""
    expression, zone = _expression(given), given.value("timezone")
    found = zone_in_cron(expression)
    # Two zones that differ leave open which is meant.
    if found is not None and zone in (None, "", "UTC", found[1]):
        raise refused_at(
            ("cron_expression",),
            "CRON_INVALID",
            f"the schedule {expression!r} names a time zone, which is a setting of its own",
            hint=f"write {found[0]!r}, and {found[1]!r} as 'timezone'",
            patch=[
                {"op": "replace", "path": "/cron_expression", "value": found[0]},
                {"op": "add", "path": "/timezone", "value": found[1]},
            ],
        )
    read_schedule(expression, "UTC", 1)


def _expression(given: NodeInput) -> str:
    value = given.value("cron_expression")
    return "" if value is None else str(value)


def check_zone(given: NodeInput) -> None:
    """Check the time zone. Raises `TIMEZONE_UNKNOWN`."""
    _zone(str(given.value("timezone")))


def _zone(timezone: str) -> ZoneInfo:
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        meant = meant_zones(timezone)[:10]
        raise refused_at(
            ("timezone",),
            "TIMEZONE_UNKNOWN",
            f"there is no time zone {timezone!r}",
            hint=f"use {' or '.join(map(repr, meant))}"
            if meant
            else "give its IANA name, such as Europe/Berlin, or UTC",
            fix=meant[0] if len(meant) == 1 else None,
        ) from None


def next_time(schedule: Schedule, after: datetime) -> datetime | None:
    """Return the first time after a moment, in UTC; None if there is none."""
    return next(_times(schedule, after), None)


def due_times(schedule: Schedule, after: datetime, now: datetime) -> list[datetime]:
    """Return the times due after a moment until now; of missed ones only the last few."""
    found = _last_times(schedule, after, now, schedule.max_missed)
    on_time = [moment for moment in found if now - moment <= ON_TIME]
    missed = found[: len(found) - len(on_time)]
    return missed[-schedule.max_missed :] + on_time


def _last_times(schedule: Schedule, after: datetime, now: datetime, enough: int) -> list[datetime]:
    """Return all times in the shortest window that holds enough of them, or all there are."""
    for window in _WINDOWS:
        start = now - window
        if start <= after:
            break
        found = _until(schedule, start, now)
        if sum(now - moment > ON_TIME for moment in found) >= enough:
            return found
    return _until(schedule, after, now)


def _until(schedule: Schedule, after: datetime, now: datetime) -> list[datetime]:
    found: list[datetime] = []
    for moment in _times(schedule, after):
        if moment > now:
            break
        found.append(moment)
    return found


def _times(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    try:
        for local in CronSim(schedule.expression, after.astimezone(schedule.zone)):
            moment = local.astimezone(UTC)
            # Within an hour that occurs twice, the first one may be in the past.
            if moment > after:
                yield moment
    except CronSimError as error:
        raise _invalid(schedule.expression, str(error)) from None


def _invalid(expression: str, why: str) -> Invalid:
    meant = meant_crons(expression)
    return refused_at(
        ("cron_expression",),
        "CRON_INVALID",
        f"the schedule {expression!r} cannot be used: {why}" if expression else "no schedule is set",
        hint=f"use {' or '.join(map(repr, meant))}"
        if meant
        else "minute, hour, day of month, month, day of week: `0 9 * * 1-5`",
        fix=meant[0] if len(meant) == 1 else None,
    )
