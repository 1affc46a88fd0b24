"""Node-RED beside us: the same 50 nodes over HTTP, the same clients. It keeps nothing of a run.

Installed from npm into `.cache/npm-node-red` on first use.
`python -m bench.engine_node_red` measures it alone.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.engine_n8n import wait_for_hook
from bench.engine_webhook import NODES, Load, measured, started
from bench.npm_peer import ROOT, environ, free_port, install, node

PLACE = ROOT / ".cache" / "npm-node-red"
VERSION = "5.0.7"
PROGRAM = PLACE / "node_modules" / "node-red" / "red.js"
_SETTINGS = """module.exports = {
  uiHost: "127.0.0.1", httpAdminRoot: false, flowFile: "flows.json",
  telemetry: { enabled: false }, logging: { console: { level: "fatal" } } };
"""


def installed() -> bool:
    """Whether Node-RED is there, installed if need be."""
    if not PROGRAM.exists():
        try:
            install(PLACE, f"node-red@{VERSION}")
        except (OSError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"Node-RED is left out, it cannot be installed: {error}\n")
    return PROGRAM.exists()


def node_red(deliveries: int) -> Load | None:
    """What Node-RED does with so many deliveries; nothing where it does not run."""
    with tempfile.TemporaryDirectory(prefix="toolweave-red-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), free_port()
        (folder / "flows.json").write_text(json.dumps(_flow()), encoding="utf-8")
        (folder / "settings.js").write_text(_SETTINGS, encoding="utf-8")
        argv = [node(), str(PROGRAM), "--userDir", name, "--port", str(port)]
        try:
            with started(argv, environ(HOME=name), folder / "log") as process:
                url = f"http://127.0.0.1:{port}/bench"
                wait_for_hook(url)
                return measured(url, process, deliveries, _is_theirs)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            log = (folder / "log").read_text(encoding="utf-8", errors="replace")[-1000:]
            sys.stderr.write(f"Node-RED is left out: {error}\n{log}\n")
            return None


def _flow() -> list[dict[str, object]]:
    """An address, nodes that pass on what comes in, and the answer."""
    tab: dict[str, object] = {"id": "tab", "type": "tab", "label": "Bench"}
    first = {"id": "n0", "type": "http in", "z": "tab", "url": "/bench", "method": "post"}
    last: dict[str, object] = {
        "id": f"n{NODES - 1}",
        "type": "http response",
        "z": "tab",
    }
    between: list[dict[str, object]] = [
        {"id": f"n{at}", "type": "change", "z": "tab", "rules": [], "wires": [[f"n{at + 1}"]]}
        for at in range(1, NODES - 1)
    ]
    return [tab, {**first, "wires": [["n1"]]}, *between, last]


def _is_theirs(number: int, answer: object) -> bool:
    return answer == {"n": number}


def main() -> None:
    """Measure Node-RED alone."""
    load = node_red(int(sys.argv[1]) if len(sys.argv) > 1 else 200) if installed() else None
    sys.stdout.write(json.dumps(asdict(load) if load else {}) + "\n")


if __name__ == "__main__":
    main()
