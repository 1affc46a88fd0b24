"""A real MCP server process whose tools and answers are data, for tests of whatever calls one."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from toolweave.json_text import JsonObject
from toolweave.servers.definition import CommandServer
from toolweave.testing import scripted_process

# Legacy: 2025-06-18. Dies: the same, and a message it does not know ends it. Modern: 2026-07-28.
Era = Literal["legacy", "dies", "modern"]
# What a tool does when it is called, one step after another; see the functions below.
Step = JsonObject


def a_tool(name: str, **more: Any) -> JsonObject:
    """A tool's raw definition; `more` adds to it or replaces parts."""
    # Any: deliberately also what no tool should have.
    definition: dict[str, Any] = {
        "name": name,
        "description": f"Does {name}.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    }
    return definition | more


def echoes() -> Step:
    """Answer with the arguments; what a tool does without any steps."""
    return {"echo": True}


def says(text: str, **more: Any) -> Step:
    """Answer with a text; `more` are other fields of the result."""
    return {"result": {"content": [{"type": "text", "text": text}], **more}}


def answers(result: Any) -> Step:
    """Answer with this very result."""
    return {"result": result}


def refuses(code: int, message: str) -> Step:
    """Answer with a JSON-RPC error."""
    return {"error": {"code": code, "message": message}}


def waits(seconds: float) -> Step:
    """Do nothing for a while."""
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
    """Write a line to stdout, whatever it is."""
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
    """Ask the person at the client; the answer is sent back by `tells`."""
    empty: JsonObject = {"type": "object", "properties": {}}
    question: JsonObject = {"message": message, "mode": "form", "requestedSchema": empty}
    return {"ask": question | more}


def tells() -> Step:
    """Answer with what the person was asked and answered."""
    return {"told": True}


class ScriptedServer:
    """What it does can be changed while it runs; the next request sees it.

    A tool's answers are lists of steps: the first list is for its first call, the second for its
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
        }
        self.change(**more)

    @property
    def definition(self) -> CommandServer:
        """How to start it."""
        program = str(scripted_process.__file__)
        # Alone: nothing installed can change what it does.
        return CommandServer(command=sys.executable, args=("-I", "-S", program, str(self._folder)))

    def change(self, **parts: Any) -> None:
        """Replace parts of the script: `tools`, `era`, `page`, `capabilities`, `refuses`
        (methods it does not know), `results` (fixed results by method)."""
        self._script |= parts
        fresh = self._folder / "script.new"
        fresh.write_text(json.dumps(self._script), encoding="utf-8")
        os.replace(fresh, self._folder / "script.json")

    def on_call(self, tool: str, *calls: Sequence[Step]) -> None:
        """Say what `tool` does at its first call, its second, …"""
        steps: Mapping[str, object] = {tool: [list(call) for call in calls]}
        self.change(answers=self._script["answers"] | steps)

    def announce(self) -> None:
        """Let the running process say that its tools changed."""
        self.change(announced=self._script["announced"] + 1)

    def heard(self, method: str) -> list[JsonObject]:
        """The parameters of every message of this method that any of its processes got."""
        return [line.get("params", {}) for line in self._log() if line.get("method") == method]

    @property
    def processes(self) -> list[int]:
        """The process number of each start, in order."""
        return [line["started"] for line in self._log() if "started" in line]

    def _log(self) -> list[dict[str, Any]]:
        try:
            text = (self._folder / "heard.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        # The last line may be half written.
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
