"""What a person is told about a queue that runs wait for."""


def queue_notice(queue: str, *, is_served: bool) -> str:
    """Return what a step waits for, and the command to start where no worker serves it."""
    if is_served:
        return f"waits for queue {queue}"
    return f"waits for queue {queue}, which no worker serves; start: {worker_command(queue)}"


def worker_command(queue: str) -> str:
    """Return the command that serves a queue."""
    return f"toolweave worker --queues {queue}"
