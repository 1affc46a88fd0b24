"""What the demo server remembers while it runs: notes by key and counters by name."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Store:
    """Lives as long as the server's process; shared by every client of it."""

    notes: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, name: str) -> int:
        """One more for `name`, and how many there are now."""
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]
