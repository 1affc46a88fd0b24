"""n8n beside us: the same 50 nodes over a webhook, the same clients, on the same machine.

Installed from npm into `.cache/npm-n8n` on first use, which takes minutes. Its best configuration:
SQLite, no page, no telemetry, no progress saved; once without the data of executions, once with,
which is what we always keep. `python -m bench.engine_n8n` measures it alone.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import asdict
from pathlib import Path

from bench.engine_webhook import NODES, START_S, Load, measured, started
from bench.npm_peer import ROOT, free_port, install, node, npm
from bench.npm_peer import environ as environ_of

PLACE = ROOT / ".cache" / "npm-n8n"
PROGRAM = PLACE / "node_modules" / "n8n" / "bin" / "n8n"
# The last thing that is made.
BUILT = PLACE / "node_modules" / "sqlite3" / "build" / "Release" / "node_sqlite3.node"
VERSION = "2.41.1"
# What it asks for in "any newer" form, and whose newest version cannot be installed everywhere.
OVERRIDES = {"linkedom": "0.18.12", "@langchain/langgraph": "1.4.0"}
IMPORT_S = 300
WORKFLOW = "benchbenchbench1"

SETTINGS = {
    "DB_TYPE": "sqlite",
    "DB_SQLITE_POOL_SIZE": "4",
    "EXECUTIONS_DATA_SAVE_ON_ERROR": "none",
    "EXECUTIONS_DATA_SAVE_ON_PROGRESS": "false",
    "EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS": "false",
    "N8N_DIAGNOSTICS_ENABLED": "false",
    "N8N_DISABLE_UI": "true",
    "N8N_HIRING_BANNER_ENABLED": "false",
    "N8N_LISTEN_ADDRESS": "127.0.0.1",
    "N8N_LOG_LEVEL": "error",
    "N8N_PERSONALIZATION_ENABLED": "false",
    "N8N_PUBLIC_API_DISABLED": "true",
    "N8N_TEMPLATES_ENABLED": "false",
    "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
    "NODE_ENV": "production",
}


def installed() -> bool:
    """Whether n8n is there, installed if need be."""
    if BUILT.exists():
        return True
    try:
        # Of what it would build only SQLite's driver is used; others want more than npm has.
        # Peer dependencies of its packages contradict each other: npm would never finish.
        options = ("--ignore-scripts", "--legacy-peer-deps")
        install(PLACE, f"n8n@{VERSION}", *options, overrides=OVERRIDES)
        npm(PLACE, "rebuild", "sqlite3")
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"n8n is left out, it cannot be installed: {error}\n")
        return False
    return BUILT.exists()


def n8n(deliveries: int, *, saves: bool) -> Load | None:
    """What n8n does with so many deliveries; nothing where it does not run."""
    with tempfile.TemporaryDirectory(prefix="toolweave-n8n-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), free_port()
        environ = environ_of(
            **SETTINGS,
            HOME=name,
            N8N_USER_FOLDER=name,
            N8N_PORT=str(port),
            EXECUTIONS_DATA_SAVE_ON_SUCCESS="all" if saves else "none",
        )
        (folder / "flow.json").write_text(json.dumps([_workflow()]), encoding="utf-8")
        try:
            _command(environ, "import:workflow", f"--input={folder / 'flow.json'}")
            _command(environ, "publish:workflow", f"--id={WORKFLOW}")
            with started([node(), str(PROGRAM), "start"], environ, folder / "log") as process:
                url = f"http://127.0.0.1:{port}/webhook/bench"
                wait_for_hook(url)
                return measured(url, process, deliveries, _is_theirs)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            log = folder / "log"
            said = log.read_text(encoding="utf-8", errors="replace")[-1000:] if log.exists() else ""
            sys.stderr.write(f"n8n is left out: {error}\n{said}\n")
            return None


def _workflow() -> dict[str, object]:
    nodes: list[dict[str, object]] = [
        {
            "id": "hook",
            "name": "n0",
            "type": "n8n-nodes-base.webhook",
            "typeVersion": 2,
            "position": [0, 0],
            "webhookId": "bench",
            "parameters": {"httpMethod": "POST", "path": "bench", "responseMode": "lastNode"},
        }
    ]
    nodes += [
        {
            "id": f"n{at}",
            "name": f"n{at}",
            "type": "n8n-nodes-base.noOp",
            "typeVersion": 1,
            "position": [at * 200, 0],
            "parameters": {},
        }
        for at in range(1, NODES)
    ]
    links = {
        f"n{at}": {"main": [[{"node": f"n{at + 1}", "type": "main", "index": 0}]]}
        for at in range(NODES - 1)
    }
    settings = {"executionOrder": "v1"}
    return {
        "id": WORKFLOW,
        "name": "Bench",
        "active": False,
        "settings": settings,
        "nodes": nodes,
        "connections": links,
    }


def _is_theirs(number: int, answer: object) -> bool:
    match answer:
        case {"body": {"n": found}}:
            return found == number
        case _:
            return False


def wait_for_hook(url: str) -> None:
    """Wait until a delivery is answered: it listens before it knows its workflows."""
    until = time.monotonic() + START_S
    request = urllib.request.Request(url, b"{}", {"Content-Type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30):
                return
        except (OSError, urllib.error.HTTPError):
            if time.monotonic() > until:
                raise
        time.sleep(0.5)


def _command(environ: dict[str, str], *arguments: str) -> None:
    argv = [node(), str(PROGRAM), *arguments]
    ran = subprocess.run(argv, timeout=IMPORT_S, env=environ, capture_output=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{arguments[0]}: {(ran.stdout + ran.stderr)[-1500:]!r}")


def main() -> None:
    """Measure n8n alone."""
    deliveries = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    if installed():
        for saves in (False, True):
            load = n8n(deliveries, saves=saves)
            sys.stdout.write(json.dumps({"saves": saves, **(asdict(load) if load else {})}) + "\n")


if __name__ == "__main__":
    main()
