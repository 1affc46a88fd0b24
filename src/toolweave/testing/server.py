"""A real MCP server process with scripted tools and responses, for tests."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from toolweave.json_text import Json, JsonObject
from toolweave.servers.definition import CommandServer
from toolweave.testing import scripted_process

# Legacy: 2025-06-18. Dies: the same, and an unknown message ends it. Modern: 2026-07-28.
Era = Literal["legacy", "dies", "modern"]
# The steps of a tool call, in order; see the functions below.
Step = JsonObject


def a_tool(name: str, **more: Any) -> JsonObject:
    """Return a tool's raw definition; `more` adds or replaces fields."""
    # Any: also invalid definitions on purpose.
    definition: dict[str, Any] = {
        "name": name,
        "description": f"Does {name}.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    }
    return definition | more


def echoes() -> Step:
    """Respond with the arguments; the default of a tool without steps."""
    return {"echo": True}


def says(text: str, **more: Any) -> Step:
    """Respond with a text; `more` are other fields of the result."""
    return {"result": {"content": [{"type": "text", "text": text}], **more}}


def answers(result: Any) -> Step:
    """Respond with exactly this result."""
    return {"result": result}


def refuses(code: int, message: str, data: Json = None) -> Step:
    """Respond with a JSON-RPC error."""
    error: JsonObject = {"code": code, "message": message}
    return {"error": error if data is None else {**error, "data": data}}


def waits(seconds: float) -> Step:
    """Wait for a time."""
    return {"wait_s": seconds}


def never() -> Step:
    """Never answer."""
    return {"never": True}


def exits(code: int = 1) -> Step:
    """End the process."""
    return {"exit": code}


def warns(text: str) -> Step:
    """Write a line to stderr."""
    return {"warn": text}


def writes(line: str) -> Step:
    """Write any line to stdout."""
    return {"line": line}


def reports(done: float, total: float | None = None, message: str | None = None) -> Step:
    """Report progress."""
    progress: JsonObject = {"progress": done}
    return {
        "progress": progress
        | ({} if total is None else {"total": total})
        | ({} if message is None else {"message": message})
    }


def asks(message: str, **more: Any) -> Step:
    """Ask the user of the client; `tells` responds with the answer."""
    empty: JsonObject = {"type": "object", "properties": {}}
    question: JsonObject = {"message": message, "mode": "form", "requestedSchema": empty}
    return {"ask": question | more}


def begins(result: Json, *, polls: int = 1, ask: Json = None, **more: Json) -> Step:
    """Begin a task that ends after so many polls; `ask` is a question it asks first.

    `more` are fields of the task: `pollIntervalMs`, `ttlMs`, `error` for one that fails.
    """
    return {"task": {"result": result, "polls": polls, "ask": ask, "more": more}}


def tells() -> Step:
    """Respond with the questions and answers."""
    return {"told": True}


class ScriptedServer:
    """A scripted server; its script can change while it runs.

    A tool's responses are lists of steps: the first list is for its first call, the second for its
    second, and so on over all processes; the last one stays.
    """

    def __init__(self, folder: Path, *tools: JsonObject, era: Era = "legacy", **more: Any) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._script: dict[str, Any] = {
            "era": era,
            "tools": list(tools) or [a_tool("echo")],
            "page": None,
            "answers": {},
            "capabilities": {"tools": {"listChanged": True}},
            "refuses": [],
            "results": {},
            "announced": 0,
            # Entries of `resources/list` with their `contents`, templates with `contents` whose
            # text names `{variables}`, prompts with `messages`, values to complete by argument.
            "resources": [],
            "templates": [],
            "prompts": [],
            "completions": {},
            "missing": -32002,
        }
        self.change(**more)

    @property
    def definition(self) -> CommandServer:
        """The definition that starts it."""
        program = str(scripted_process.__file__)
        # Isolated: installed packages cannot change its behaviour.
        return CommandServer(command=sys.executable, args=("-I", "-S", program, str(self._folder)))

    def change(self, **parts: Any) -> None:
        """Replace parts of the script: `tools`, `era`, `page`, `capabilities`, `refuses`
        (unknown methods), `results` (fixed results by method)."""
        self._script |= parts
        fresh = self._folder / "script.new"
        fresh.write_text(json.dumps(self._script), encoding="utf-8")
        os.replace(fresh, self._folder / "script.json")

    def on_call(self, tool: str, *calls: Sequence[Step]) -> None:
        """Set the steps of `tool` for its first call, its second, …"""
        steps: Mapping[str, object] = {tool: [list(call) for call in calls]}
        self.change(answers=self._script["answers"] | steps)

    def announce(self) -> None:
        """Make the running process report changed tools."""
        self.change(announced=self._script["announced"] + 1)

    def heard(self, method: str) -> list[JsonObject]:
        """Return the parameters of all messages of this method, over all processes."""
        return [line.get("params", {}) for line in self._log() if line.get("method") == method]

    @property
    def processes(self) -> list[int]:
        """Return the process id of each start, in order."""
        return [line["started"] for line in self._log() if "started" in line]

    def _log(self) -> list[dict[str, Any]]:
        try:
            text = (self._folder / "heard.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        # The last line may be incomplete.
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
