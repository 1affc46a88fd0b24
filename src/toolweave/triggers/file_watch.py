"""TRIGGER.FILE_WATCH: one run per change of a file, across restarts too."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio.to_thread

from toolweave import json_text
from toolweave.clock import timestamp
from toolweave.json_text import JsonObject
from toolweave.triggers import file_changes as files
from toolweave.triggers.active_triggers import ActiveTriggerSettings
from toolweave.triggers.polling import PollingTrigger

REF = "TRIGGER.FILE_WATCH"


def scan_now(config: JsonObject, roots: Sequence[Path]) -> tuple[Path, dict[str, str]]:
    """Scan the watched folder: its path and the stamps of its files; runs in a thread."""
    folder, name = files.watched_folder(str(config.get("path")), roots)
    pattern = name or str(config.get("pattern"))
    return folder, files.scan(folder, pattern, recursive=config.get("recursive") is True)


class Watching:
    """Remembers each trigger's last scan, to detect files that are still being written."""

    def __init__(self, poller: PollingTrigger, roots: Sequence[Path]) -> None:
        self._poller = poller
        self._roots = roots
        self._before: dict[str, files.Stamps] = {}
        self._next: dict[str, float] = {}

    async def poll(self, active: ActiveTriggerSettings) -> float:
        """Start a run for every change; return the seconds until the next poll."""
        key, clock = active.once_key(""), self._poller.clock
        every = active.config.get("poll_interval")
        every_s = float(every) if isinstance(every, int | float) else 5.0
        if (ahead := self._next.get(key, 0.0) - clock.monotonic()) > 0:
            return ahead
        self._next[key] = clock.monotonic() + every_s
        folder, now = await anyio.to_thread.run_sync(scan_now, active.config, self._roots)
        known = _stamps(active.row.seen)
        found = files.changes(known, self._before.get(key, {}), now)
        self._before[key] = now
        wanted = active.config.get("events")
        for change in found:
            if isinstance(wanted, list) and change.event in wanted:
                what = f"{change.event}/{change.path}/{change.stamp}"
                await self._poller.fire(active, what, _inputs(folder, change, clock.now()))
        if found or active.row.failure:
            seen = json_text.write(files.after(known, found))
            row, activations = active.row, self._poller.activations
            await activations.polled(row.workflow, row.node, seen, has_fired=bool(found))
        return every_s


def _stamps(seen: str | None) -> dict[str, str]:
    value = json_text.read(seen) if seen else None
    return {path: str(stamp) for path, stamp in value.items()} if isinstance(value, dict) else {}


def _inputs(folder: Path, change: files.FileChange, now: datetime) -> JsonObject:
    is_gone = change.event == "deleted"
    modified = datetime.fromtimestamp(change.modified_ns / 1e9, UTC)
    return {
        "trigger_time": timestamp(now),
        "event_type": change.event,
        "path": change.path,
        "name": change.path.rpartition("/")[2],
        "full_path": str(folder / change.path),
        "size": 0 if is_gone else change.size,
        "modified_at": "" if is_gone else timestamp(modified),
        "trigger_message": f"{change.path} was {change.event}",
    }
