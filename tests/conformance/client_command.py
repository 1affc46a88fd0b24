"""The command that the official client suite runs: passes its scenario to the tests' own process.

Only the standard library: the suite starts it once for each scenario.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as link:
    link.connect(os.environ["CLIENT_SOCKET"])
    context = os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")
    asked = {
        "url": sys.argv[-1],
        "scenario": os.environ["MCP_CONFORMANCE_SCENARIO"],
        "version": os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", ""),
        "context": json.loads(context),
    }
    link.sendall(json.dumps(asked).encode() + b"\n")
    said = json.loads(link.makefile("rb").readline() or b'{"error": "no answer"}')
if said["error"]:
    sys.exit(said["error"])
