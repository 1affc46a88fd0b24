"""When schedules are due."""

from datetime import UTC, datetime, timedelta

import pytest

from toolweave.errors import Invalid
from toolweave.nodes.trigger.schedule import due_times, next_time, read_schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def times(expression: str, zone: str, start: str, count: int) -> list[str]:
    schedule, moment = read_schedule(expression, zone, 1), at(start)
    found: list[str] = []
    for _ in range(count):
        following = next_time(schedule, moment)
        assert following is not None
        moment = following
        found.append(moment.strftime("%m-%d %H:%M"))
    return found


def test_a_schedule_is_read_in_its_own_time_zone() -> None:
    assert times("0 9 * * 1-5", "America/New_York", "2026-03-06 15:00", 2) == [
        "03-09 13:00",  # Monday after the change to summer time
        "03-10 13:00",
    ]


def test_a_time_that_the_clock_skips_happens_right_after_the_gap_and_once() -> None:
    # In Berlin there is no 02:30 on 29 March: the clock goes from 02:00 to 03:00 (01:00 UTC).
    assert times("30 2 * * *", "Europe/Berlin", "2026-03-28 00:00", 3) == [
        "03-28 01:30",
        "03-29 01:00",
        "03-30 00:30",
    ]


def test_a_time_that_comes_twice_happens_the_first_time_only() -> None:
    # 25 October: 02:30 is at 00:30 UTC and again at 01:30 UTC.
    assert times("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00", 2) == [
        "10-25 00:30",
        "10-26 01:30",
    ]


def test_a_look_within_the_second_of_two_equal_hours_finds_nothing_behind_it() -> None:
    schedule = read_schedule("30 2 * * *", "Europe/Berlin", 3)
    inside = at("2026-10-25 01:10")  # the second 02:10
    assert next_time(schedule, inside) == at("2026-10-26 01:30")
    assert due_times(schedule, inside, inside + timedelta(minutes=30)) == []


def test_every_quarter_hour_follows_real_time_through_both_changes() -> None:
    for day in ("2026-03-29", "2026-10-25"):
        schedule = read_schedule("*/15 * * * *", "Europe/Berlin", 10)
        start = at(f"{day} 00:00")
        found = due_times(schedule, start, start + timedelta(minutes=61))
        assert [moment - start for moment in found[-4:]] == [
            timedelta(minutes=quarter) for quarter in (15, 30, 45, 60)
        ]


@pytest.mark.parametrize(("most", "expected"), [(1, 1), (3, 3), (10, 10)])
def test_of_what_was_missed_only_the_last_few_are_made_up_for(most: int, expected: int) -> None:
    schedule = read_schedule("0 * * * *", "UTC", most)
    now = at("2026-05-04 12:30")
    found = due_times(schedule, now - timedelta(days=30), now)
    assert len(found) == expected
    assert found[-1] == at("2026-05-04 12:00")
    assert found == sorted(set(found))


def test_what_is_due_now_does_not_count_as_missed() -> None:
    schedule = read_schedule("* * * * *", "UTC", 1)
    now = at("2026-05-04 12:30")
    found = due_times(schedule, now - timedelta(minutes=10), now)
    assert found == [at("2026-05-04 12:28"), at("2026-05-04 12:29"), now]


def test_a_rare_schedule_is_found_after_a_long_time_off() -> None:
    schedule = read_schedule("0 0 1 1 *", "UTC", 2)
    found = due_times(schedule, at("2020-06-01 00:00"), at("2026-05-04 12:30"))
    assert found == [at("2025-01-01 00:00"), at("2026-01-01 00:00")]


@pytest.mark.parametrize("expression", ["61 * * * *", "* * *", "0 0 31 2 *", "a b c d e"])
def test_a_schedule_that_cannot_be_is_refused(expression: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_schedule(expression, "UTC", 1)
    assert refused.value.code == "CRON_INVALID"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", ""])
def test_a_time_zone_that_nobody_knows_is_refused(zone: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_schedule("* * * * *", zone, 1)
    assert refused.value.code == "TIMEZONE_UNKNOWN"


def test_a_missing_schedule_is_called_missing() -> None:
    with pytest.raises(Invalid) as wrong:
        read_schedule("9", "UTC", 1)
    assert wrong.value.message.startswith("the schedule '9' cannot be used")
    with pytest.raises(Invalid) as missing:
        read_schedule("", "UTC", 1)
    assert missing.value.message == "no schedule is set"
