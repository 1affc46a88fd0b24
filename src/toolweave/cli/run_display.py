"""A run on the terminal: a line for each step as it happens, and its result at the end.

It shows JSON, as `run --json` prints it, so a run of the studio looks like one of this process.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from toolweave.cli.run_parts import part_lines, usage_line
from toolweave.cli.sanitize import json_text, visible
from toolweave.cli.terminal import Part, say
from toolweave.engine.queue_notice import queue_notice
from toolweave.json_text import Json, JsonObject

# A step that waits for a person: its key, what is asked, and the command that answers.
ToDo = tuple[str, str, str]
STYLES = {
    "success": "green",
    "failed": "red",
    "partial": "red",
    "cancelled": "yellow",
    "waiting": "cyan",
    "retrying": "yellow",
    "uncertain": "magenta",
    "skipped": "yellow",
    "running": "blue",
}
MARKS = {
    "success": "✓",
    "failed": "✗",
    "cancelled": "■",
    "waiting": "…",
    "retrying": "↻",
    "uncertain": "?",
    "running": "▸",
}

# The error of a run with recorded answers that needs one that is not recorded.
NOT_RECORDED = "RECORDING_NO_MATCH"

# The number of a loop's turn, which is no step of its own, among computed values.
_TURN = -1


class Display:
    """Shows one run; as JSON, one event per line."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._told: set[tuple[str, str]] = set()
        # Steps that work in parts; the start of each part is not shown.
        self._in_parts: set[str] = set()
        # The run, and its step at which the recorded answers ended.
        self.unrecorded: tuple[str, str] | None = None

    def begin(self, run: str, workflow: str) -> None:
        """Print the workflow and the run id."""
        if not self._as_json:
            say((workflow or "workflow", "bold"), f"  run {run}", stderr=True)

    def stopping(self) -> None:
        """Report the first Ctrl-C."""
        if not self._as_json:
            say("Stopping; press Ctrl-C again to exit immediately.", stderr=True)

    def receive(self, name: str, *values: Any) -> None:
        """Show one message about the run: see `run_work.follow`."""
        match name:
            case "begin":
                self.begin(*values)
            case "event":
                self.show(*values)
            case "progress":
                self.progress(*values)
            case "waiting":
                self.waiting(*values)
            case "end":
                self.end(*values)
            case _:
                pass

    # Any: the fields of an event, by its type.
    def show(self, event: dict[str, Any]) -> None:
        """Print one event."""
        if self._as_json:
            _put(event)
            return
        kind, key = event["type"], str(event.get("key"))
        if kind == "step_waiting" and event.get("adds"):
            self._in_parts.add(key)
            for line in part_lines(event.get("memory")):
                say(f"  {key} {line}", indent=2, stderr=True)
            return
        if kind == "step_started" and key in self._in_parts:
            return
        for step, status, words in _told(event):
            mark: Part = (f"{MARKS[status]} ", STYLES[status])
            say(mark, f"{step}{words}", indent=2, stderr=True)

    def progress(self, event: dict[str, Any]) -> None:
        """Print the progress of a running step."""
        if self._as_json:
            _put(event)
            return
        total = f"/{event['total']:g}" if event["total"] else ""
        words = f" {event['message']}" if event["message"] else ""
        say(f"  {event['step']} {event['done']:g}{total}{words}", indent=2, stderr=True)

    def end(self, status: str, result: JsonObject, to_dos: Sequence[ToDo]) -> None:
        """Print the final status and the result."""
        self.unrecorded = _unrecorded(result)
        if self._as_json:
            _put({"type": "result", **result})
            return
        say((status, STYLES.get(status, "")), stderr=True)
        error = result.get("error")
        if isinstance(error, dict):
            say((f"{error.get('message')}  [{error.get('code')}]", "red"), stderr=True)
            if error.get("hint"):
                say(f"Hint: {error['hint']}", stderr=True)
        if status == "success":
            show_result(result)
        usage = result.get("usage")
        if isinstance(usage, dict):
            say(usage_line(usage), stderr=True)
        self.waiting(to_dos)

    def waiting(self, to_dos: Sequence[ToDo]) -> None:
        """Print the commands a person must run before the run can continue, each once."""
        for key, question, command in to_dos:
            # A step may ask one question after another.
            if not self._as_json and (key, question) not in self._told:
                self._told.add((key, question))
                say(question, stderr=True)
                say(command, indent=2, stderr=True)


def _unrecorded(result: JsonObject) -> tuple[str, str] | None:
    error = result.get("error")
    failed_at = error.get("failedAt") if isinstance(error, dict) else None
    if not isinstance(error, dict) or error.get("code") != NOT_RECORDED:
        return None
    step = failed_at.get("nodeId") if isinstance(failed_at, dict) else None
    return (str(result.get("runId")), step) if isinstance(step, str) else None


def _put(line: JsonObject) -> None:
    """Print a line for programs; a closed pipe (`| head`) does not stop the run."""
    try:
        click.echo(json_text(line, pretty=False))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_value(value: Json) -> None:
    """Text as it is, any other value as JSON."""
    click.echo(visible(value) if isinstance(value, str) else json_text(value))


def show_result(execution: JsonObject) -> None:
    """The result of a run, and what a tool said beside it, which is not part of the data."""
    show_value(execution["finalResult"])
    for line in _said(execution):
        say(line, stderr=True)


def _said(execution: JsonObject) -> Iterator[str]:
    blocks = execution.get("finalContent")
    for block in blocks if isinstance(blocks, list) else ():
        match block:
            case {"text": str(text)}:
                yield text
            case {"bytes": int(size), "href": str(href)}:
                yield f"({size} bytes of text: {href})"
            case _:
                pass


def _queued(event: dict[str, Any]) -> str:
    return queue_notice(event["queue"], is_served=event.get("is_served", True))


def _told(event: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The steps that an event is about, their status, and further words."""
    key = str(event.get("key"))
    match event["type"]:
        case "computed":
            yield from (
                (str(step[0]), "success", "") for step in event["steps"] if step[1] != _TURN
            )
        case "step_started":
            attempt = event.get("attempt", 1)
            yield key, "running", f"  (try {attempt})" if attempt > 1 else ""
        case "step_finished":
            yield key, "success", ""
        case "step_waiting":
            yield key, "waiting", f"  until {event['until']}" if event.get("until") else "  waits"
        case "slot_awaited":
            yield "run", "waiting", f"  waits for a free slot of {event['limit']}"
        case "step_queued":
            yield key, "waiting", f"  {_queued(event)}"
        case "step_uncertain":
            yield key, "uncertain", "  outcome unknown"
        case "step_cancelled":
            yield key, "cancelled", "  stopped"
        case "step_failed":
            status = "retrying" if event.get("retry_at") else "failed"
            yield key, status, f"  {event['message']}  [{event['code']}]"
        case _:
            pass
