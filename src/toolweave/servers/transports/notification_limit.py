"""How many unasked-for messages of one server are let through."""

import time

NOTIFICATIONS_A_SECOND = 500
REQUESTS_A_SECOND = 100
ANSWERS_A_SECOND = 5_000  # more than we can ask for


class NotificationLimit:
    """Counts a server's notifications and requests by the second; the rest is dropped.

    Notifications are lossy by nature (progress, log); a request that is not answered is not,
    so too many of those end the connection.
    """

    def __init__(self) -> None:
        self.noise = 0  # lines since the last message that were none
        self.dropped = 0
        self._second: int = 0
        self._notifications = 0
        self._requests = 0
        self._answers = 0

    @property
    def is_dropping(self) -> bool:
        """Whether this second's notifications are used up."""
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
        """Count one notification; whether it may pass."""
        self._tick()
        if self.is_dropping:
            self.dropped += 1
            return False
        self._notifications += 1
        return True

    def admits_request(self) -> bool:
        """Count one request; whether it may pass."""
        self._tick()
        self._requests += 1
        return self._requests <= REQUESTS_A_SECOND

    def admits_answer(self) -> bool:
        """Count one answer, asked for or not; whether it may pass."""
        self._tick()
        self._answers += 1
        return self._answers <= ANSWERS_A_SECOND

    def _tick(self) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._second = second
            self._notifications = self._requests = self._answers = 0
