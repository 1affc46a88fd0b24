"""Which leases of other processes have expired, without comparing clocks.

A holder renews its leases every third of `hold_s`. A lease has expired when its row did not change
for `hold_s` of this process's monotonic time; the times in the row are never compared with a clock
here, so a wall clock that jumps, or differs between machines, takes no run and strands none.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from toolweave.clock import Clock
from toolweave.engine.lease_owner import is_gone, is_of_earlier_boot


@dataclass(frozen=True, slots=True)
class HeldRun:
    """A run and its lease, as stored; no `held_until` if no process holds it."""

    run: str
    holder: str | None
    held_until: str | None


@dataclass(frozen=True, slots=True)
class _Observation:
    lease: HeldRun
    at: float
    unchanged_s: float


class LeaseWatch:
    """The leases of other processes, as observed by this one."""

    def __init__(self, clock: Clock, holder: str, hold_s: float, *, is_one_machine: bool) -> None:
        # How often to look, so that an expired lease is noticed in time.
        self.look_every_s = hold_s / 3
        self._clock = clock
        self._holder = holder
        self._hold_s = hold_s
        # Whether every process of the database runs on this machine.
        self._is_one_machine = is_one_machine
        self._observed: dict[str, _Observation] = {}

    def free_runs(self, held: Iterable[HeldRun]) -> list[str]:
        """Return those runs that this process may take; forgets every run that is not given."""
        before, self._observed = self._observed, {}
        gone: dict[str | None, bool] = {}
        free: list[str] = []
        for lease in held:
            if lease.holder not in gone:
                gone[lease.holder] = self._is_gone(lease.holder)
            if self._is_free(lease, gone[lease.holder], before.get(lease.run)):
                free.append(lease.run)
        return free

    def is_free(self, lease: HeldRun) -> bool:
        """Whether this process may take a run."""
        before = self._observed.pop(lease.run, None)
        return self._is_free(lease, self._is_gone(lease.holder), before)

    def _is_free(self, lease: HeldRun, is_gone: bool, before: _Observation | None) -> bool:
        return lease.held_until is None or is_gone or self._has_expired(lease, before)

    def _has_expired(self, lease: HeldRun, before: _Observation | None) -> bool:
        now, unchanged_s = self._clock.monotonic(), 0.0
        if before is not None and before.lease == lease:
            # A long gap means that this process stood still, maybe together with the holder.
            unchanged_s = before.unchanged_s + min(now - before.at, self._hold_s / 2)
        self._observed[lease.run] = _Observation(lease, now, unchanged_s)
        return unchanged_s >= self._hold_s

    def _is_gone(self, holder: str | None) -> bool:
        if holder == self._holder or is_gone(holder):
            return True
        return self._is_one_machine and is_of_earlier_boot(holder)
