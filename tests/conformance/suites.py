"""The official suites run against an address, and what their checks found."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conformance.programs import run_script

Status = Literal["SUCCESS", "FAILURE", "WARNING", "INFO", "SKIPPED"]

# Every scenario of the older suite; of the newer, all that a revision of the protocol asks for.
SUITES: dict[str, tuple[str, ...]] = {
    "2025": ("conformance-2025/dist/index.js", "--suite", "all"),
    "2025-11-25": ("conformance-2026/dist/index.js", "--requirements", "2025-11-25"),
    "2026-07-28": ("conformance-2026/dist/index.js", "--requirements", "2026-07-28"),
}
_FOLDER = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_PRELOAD = Path(__file__).with_name("with_key.mjs")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing a scenario looked at."""

    scenario: str
    name: str
    status: Status
    told: str


def run_suite(name: str, url: str, key: str, home: Path) -> list[Check]:
    """Every check of one suite against the server at `url`."""
    found = home / f"found-{name}"
    script, *arguments = SUITES[name]
    done = run_script(
        script,
        ["server", "--url", url, "--output-dir", str(found), *arguments],
        home=home,
        environ={"API_KEY": key},
        preload=_PRELOAD,
    )
    assert "=== SUMMARY ===" in done.stdout, done.stdout + done.stderr
    return [check for folder in sorted(found.iterdir()) for check in _checks(folder)]


def run_scenario(name: str, version: str, url: str, key: str, home: Path) -> list[Check]:
    """Every check of one scenario, which no suite has, in one revision of the protocol."""
    found = home / f"found-{name}-{version}"
    arguments = ["--scenario", name, "--spec-version", version, "--force"]
    done = run_script(
        "conformance-2026/dist/index.js",
        ["server", "--url", url, "--output-dir", str(found), *arguments],
        home=home,
        environ={"API_KEY": key},
        preload=_PRELOAD,
    )
    assert found.is_dir(), done.stdout + done.stderr
    return [check for folder in sorted(found.iterdir()) for check in _checks(folder)]


def scenarios(checks: Iterable[Check], status: Status) -> set[str]:
    """The scenarios with a check that ended so."""
    return {check.scenario for check in checks if check.status == status}


def _checks(folder: Path) -> list[Check]:
    named = _FOLDER.fullmatch(folder.name)
    assert named is not None, folder.name
    return [
        Check(named["scenario"], entry["id"], entry["status"], entry.get("errorMessage", ""))
        for entry in json.loads((folder / "checks.json").read_text(encoding="utf-8"))
    ]
