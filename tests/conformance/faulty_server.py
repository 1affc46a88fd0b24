"""A server that lists one tool with a schema the inspector calls an error."""

import json
import sys
from typing import Any


def main() -> None:
    """Answer the handshake and the list, until the input ends."""
    tool = {"name": "bad", "inputSchema": {"type": "object", "properties": {"any": True}}}
    hello: dict[str, Any] = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "faulty", "version": "1"},
    }
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result: object = hello if message["method"] == "initialize" else {"tools": [tool]}
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
