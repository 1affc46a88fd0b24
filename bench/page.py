"""`docs/benchmarks.md`, written from one full `bench/run --page`."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import catalog_doors, engine_n8n, engine_node_red, proxies
from bench.table import HEAD, Row

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
_FAULTS = "| line | runs | faults | uncertain |"

_INTRODUCTION = """# Benchmarks

`bench/run --page` wrote this page: every line is from one run on one machine, and each figure
stands beside what it is held against, measured in the same minutes. Ratios carry over to other
machines; milliseconds do not. A ratio below 1 means that Toolweave needs less; in lines with `/s`,
above 1 is more. `bench/README.md` in the repository explains every line.
"""

_TITLES = {
    "ground": "The gate: a tool call with approval, pins, checks and limits",
    "proxies": "Beside MCP proxies",
    "commands": "Commands and starts",
    "catalog": "Node knowledge, beside n8n-mcp",
    "engine": "Runs, beside n8n, Node-RED, LangGraph and DBOS",
    "studio": "The studio",
}

_NOTES = {
    "proxies": """Ours is a published workflow with one durable step: approved, pinned, checked,
journaled before and after the call, and kept in the history. A proxy passes the message on and
keeps nothing, so its call is shorter.
""",
    "engine": """n8n saves an execution when it ends, if at all; Toolweave stores every step before
and after it. Node-RED keeps nothing: the difference is what durability costs.
""",
}

_LEFT_OUT = """## What was not compared

| tool | why |
|---|---|
| Windmill, Kestra, Dify | distributed as container images, which this machine cannot fetch |
| Langflow | no webhook that waits for the end of a stored run |
| Temporal | not a peer but a backend of ours: see [scaling out](scale.md) |
| Zapier, Make, Power Automate | hosted only |
| ContextForge, MetaMCP | gateways with a database and accounts, not comparable proxies |
"""


def write_page(rows: Mapping[str, Sequence[Row]], notes: Sequence[str]) -> None:
    """Write the page."""
    parts = [_INTRODUCTION, _machine(), _summary([row for lines in rows.values() for row in lines])]
    for subject, lines in rows.items():
        parts.append(f"## {_TITLES[subject]}\n\n{_table(lines)}\n")
        if subject in _NOTES:
            parts.append(_NOTES[subject])
    parts.append("".join(f"- {note}\n" for note in notes))
    parts.append(_LEFT_OUT)
    parts.append(_faults())
    PAGE.write_text("\n".join(part for part in parts if part), encoding="utf-8")


def _machine() -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    facts = {
        "date": f"{datetime.now(UTC):%-d %B %Y}, load average {os.getloadavg()[0]:.1f} at the end",
        "machine": f"{os.cpu_count()} processors, {pages * size >> 30} GiB, {platform.system()} "
        f"{platform.release()}, Python {platform.python_version()}",
        "Toolweave": f"{version('toolweave')}, commit {commit.strip()}",
        "peers": ", ".join(
            (
                f"n8n {engine_n8n.VERSION}",
                f"Node-RED {engine_node_red.VERSION}",
                catalog_doors.PEER.replace("@", " "),
                *(peer.replace("==", " ").replace("@", " ") for peer in _PROXIES),
                "LangGraph and DBOS as of that day",
            )
        ),
    }
    lines = [f"| {name} | {fact} |" for name, fact in facts.items()]
    return "\n".join(["| | |", "|---|---|", *lines, ""])


_PROXIES = (proxies.FASTMCP, proxies.MCP_PROXY, proxies.SUPERGATEWAY)


def _summary(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row.verdict]
    missed = [
        f"- {row.what}: {row.cells[4]} of {row.floor_is} (target {row.cells[5]})\n"
        for row in judged
        if row.verdict == "MISSED"
    ]
    held = f"{len(judged) - len(missed)} of {len(judged)} targets are met."
    return f"{held} Missed:\n\n{''.join(missed)}" if missed else f"{held}\n"


def _table(rows: Sequence[Row]) -> str:
    head = ("what", "Toolweave", "reference", "the reference is", *HEAD[4:-1], "result")
    lines = [head, ("---",) * len(head), *(row.cells for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _faults() -> str:
    """The table of the fault bench, which runs for an hour and has its own page."""
    text = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")
    if _FAULTS not in text:
        return ""
    table = text[text.index(_FAULTS) :].partition("\n\n")[0]
    explained = "`python -m bench.faults` breaks real processes, disks, networks and databases."
    return f"## Faults\n\n{explained} `bench/README.md` explains each line.\n\n{table}\n"
