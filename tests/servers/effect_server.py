"""An MCP server whose only tool marks when it begins and ends: `python effect_server.py FOLDER`.

A call lasts until the file `open` is in the folder, or the seconds that it is given.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
TOOL = {
    "name": "effect",
    "description": "Has an effect that takes time.",
    "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}}},
}
LOCK = threading.Lock()


def mark(what: str) -> None:
    handle = os.open(FOLDER / "marks", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, f"{os.getppid()} {what} {time.time()}\n".encode())
    os.close(handle)


def send(id_: object, result: object, kind: str = "result") -> None:
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id_, kind: result}) + "\n")
        sys.stdout.flush()


def act(id_: object, seconds: float | None) -> None:
    mark("begin")
    until = time.monotonic() + (60 if seconds is None else seconds)
    while time.monotonic() < until and (seconds is not None or not (FOLDER / "open").exists()):
        time.sleep(0.01)
    mark("end")
    send(id_, {"content": [{"type": "text", "text": "done"}]})


# Any: whatever a client sends.
def answer(message: dict[str, Any]) -> None:
    given: dict[str, Any] = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            about = {"name": "effect", "version": "1"}
            version = "2025-06-18"
            capabilities: dict[str, Any] = {"tools": {}}
            send(
                message["id"],
                {"protocolVersion": version, "capabilities": capabilities, "serverInfo": about},
            )
        case "tools/list":
            send(message["id"], {"tools": [TOOL]})
        case "tools/call":
            seconds = given.get("arguments", {}).get("seconds")
            threading.Thread(target=act, args=(message["id"], seconds), daemon=True).start()
        case _:
            if "id" in message:
                send(message["id"], {"code": -32601, "message": "no such method"}, "error")


for line in sys.stdin:
    answer(json.loads(line))
