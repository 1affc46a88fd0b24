"""Rate limits for unsolicited messages of one server."""

import time

NOTIFICATIONS_A_SECOND = 500
REQUESTS_A_SECOND = 100
ANSWERS_A_SECOND = 5_000  # more than the client can request


class NotificationLimit:
    """Counts a server's notifications and requests per second; excess ones are dropped.

    Notifications may be lost (progress, log), but requests may not,
    so too many requests end the connection.
    """

    def __init__(self) -> None:
        self.noise = 0  # lines since the last message that were not messages
        self.dropped = 0
        self._second: int = 0
        self._notifications = 0
        self._requests = 0
        self._answers = 0

    @property
    def is_dropping(self) -> bool:
        """Whether the limit for this second is reached."""
        return self._notifications >= NOTIFICATIONS_A_SECOND

    def drops_unread(self, line: bytes) -> bool:
        """Whether a line can be dropped without parsing it: a notification over the limit."""
        self._tick()
        head = line[:256]
        is_notification = b'"notifications/' in head and b'"method"' in head
        if not self.is_dropping or not is_notification or b'"id"' in head or b'"result"' in head:
            return False
        self.dropped += 1
        return True

    def admits_notification(self) -> bool:
        """Count one notification; return whether it is accepted."""
        self._tick()
        if self.is_dropping:
            self.dropped += 1
            return False
        self._notifications += 1
        return True

    def admits_request(self) -> bool:
        """Count one request; return whether it is accepted."""
        self._tick()
        self._requests += 1
        return self._requests <= REQUESTS_A_SECOND

    def admits_answer(self) -> bool:
        """Count one response; return whether it is accepted."""
        self._tick()
        self._answers += 1
        return self._answers <= ANSWERS_A_SECOND

    def _tick(self) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._second = second
            self._notifications = self._requests = self._answers = 0
