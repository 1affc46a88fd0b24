"""An MCP server whose tools read and edit one file: a second person at work on a document."""

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object", "additionalProperties": {"type": "string"}}


def respond(method: str, params: dict[str, Any], path: Path) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "editor", "version": "1"},
        }
    if method == "tools/list":
        return {
            "tools": [{"name": name, "inputSchema": SCHEMA} for name in ("show", "edit", "prepend")]
        }
    if method != "tools/call":
        return {}
    with path.open("r+", encoding="utf-8") as file:
        text = file.read()
        given = params["arguments"]
        changed = text
        if params["name"] == "edit":
            changed = text.replace(given["old"], given["new"])
        if params["name"] == "prepend":
            changed = given["text"] + "\n\n" + text
        if changed != text:
            file.seek(0)
            file.truncate()
            file.write(changed)
    said = f"{text.count('[!success]')} results"
    return {"content": [{"type": "text", "text": said}]}


def main() -> None:
    path = Path(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = respond(message["method"], message.get("params", {}), path)
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
