"""How many unasked-for messages of a server are let through."""

import json

import pytest

from servers.rooms import eventually
from toolweave.servers.transports.notification_limit import (
    NOTIFICATIONS_A_SECOND,
    REQUESTS_A_SECOND,
    NotificationLimit,
)

LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}


def line(message: object) -> bytes:
    return json.dumps(message).encode()


def exhausted() -> NotificationLimit:
    """A flood that has had its notifications, at the beginning of a second."""
    while True:
        flood = NotificationLimit()
        for _ in range(NOTIFICATIONS_A_SECOND):
            flood.admits_notification()
        if flood.is_dropping:  # else a second ended meanwhile
            return flood


def test_a_seconds_notifications_pass_and_the_rest_is_dropped_and_counted() -> None:
    flood = exhausted()
    before = flood.dropped
    passed = [flood.admits_notification() for _ in range(3)]
    # At most a second ended in between, which would let all three pass.
    assert passed in ([False] * 3, [True] * 3)
    assert flood.dropped - before == passed.count(False)


def test_before_the_limit_nothing_is_dropped_unread() -> None:
    assert not NotificationLimit().drops_unread(line(LOG))


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "result": {"method": "notifications/x"}, "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": "notifications/odd"},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": '"method" "notifications/'}},
        {"jsonrpc": "2.0", "method": "ping"},
    ],
    ids=str,
)
def test_what_somebody_waits_for_is_never_dropped_unread(message: object) -> None:
    assert not exhausted().drops_unread(line(message))


def test_a_notification_over_the_limit_is_dropped_unread() -> None:
    flood = exhausted()
    dropped = flood.drops_unread(line(LOG))
    assert dropped or not flood.is_dropping  # a second may have ended


def test_too_many_requests_are_noticed() -> None:
    flood = NotificationLimit()
    answers = [flood.admits_request() for _ in range(2 * REQUESTS_A_SECOND + 1)]
    assert answers[:REQUESTS_A_SECOND] == [True] * REQUESTS_A_SECOND
    assert False in answers  # however the seconds fall


@pytest.mark.anyio
async def test_the_next_second_lets_notifications_through_again() -> None:
    flood = exhausted()
    await eventually(flood.admits_notification)
    assert not flood.is_dropping
