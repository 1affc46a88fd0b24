"""The demo server's memory while it runs: notes by key and counters by name."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Store:
    """Shared by all clients of the process; lost when it exits."""

    notes: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, name: str) -> int:
        """Increment the counter `name` and return its value."""
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]
