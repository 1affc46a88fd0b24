"""A small MCP server whose tool changes when the file `version` says 2."""

import json
import sys
from pathlib import Path

LIMIT = {"type": "integer", "description": "How many orders to return.", "default": 10}
CITY = {"type": "string", "description": "City that the orders are sent to."}
STATE = {"enum": ["in_progress", "done"], "type": "string", "description": "State of the orders."}
VERSIONS = {
    "1": {
        "input": {"city_name": CITY, "state": STATE, "limit": LIMIT},
        "output": {
            "order_count": {"type": "integer", "description": "How many orders were found."}
        },
    },
    "2": {
        "input": {
            "cityName": CITY,
            "state": {**STATE, "enum": ["inProgress", "done"]},
            "limit": {**LIMIT, "default": 50},
        },
        "output": {"orderCount": {"type": "integer", "description": "How many orders were found."}},
    },
}


def tool(version: str) -> dict[str, object]:
    """The definition of the tool."""
    fields = VERSIONS[version]
    city = next(iter(fields["input"]))
    return {
        "name": "find_orders",
        "description": "Find orders by city and state.",
        "inputSchema": {"type": "object", "properties": fields["input"], "required": [city]},
        "outputSchema": {"type": "object", "properties": fields["output"]},
    }


def answer(method: str, version: str) -> dict[str, object] | None:
    """The result of a request; None if the method is not known."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "orders", "version": version},
            }
        case "tools/list":
            return {"tools": [tool(version)]}
        case "tools/call":
            (field,) = VERSIONS[version]["output"]
            result = {field: 3}
            text = {"type": "text", "text": json.dumps(result)}
            return {"content": [text], "structuredContent": result}
        case "ping":
            return {}
        case _:
            return None


def main() -> None:
    """Answer one request per line."""
    chosen = Path("version")
    version = chosen.read_text(encoding="utf-8").strip() if chosen.exists() else "1"
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request["method"], version)
        error = {"code": -32601, "message": "unknown method"}
        body = {"error": error} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **body}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
