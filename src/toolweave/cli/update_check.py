"""`toolweave update-check`: asks the package index for the newest release, only when you run it.

The installer of this machine asks, so that its index, proxy and certificates apply.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click

import toolweave
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.errors import Unavailable

DEADLINE_S = 60.0
_PACKAGE = "toolweave"


@dataclass(frozen=True, slots=True)
class _Installer:
    """A program that knows the index: its command, what it reads, and the version it prints."""

    command: tuple[str, ...]
    input: str
    version: re.Pattern[str]


@click.command("update-check")
@json_option
def update_check(as_json: bool) -> int:
    """Ask the package index for a newer release. Toolweave never does this by itself."""
    installed, latest = toolweave.__version__, _latest(_installer())
    is_latest = _numbers(installed) >= _numbers(latest)
    if as_json:
        print_json({"installed": installed, "latest": latest, "isLatest": is_latest})
    elif is_latest:
        say(f"{installed} is the newest release.")
    else:
        say(f"{installed} is installed, {latest} is available.")
        say(f"Update with `uv tool upgrade {_PACKAGE}` or `pipx upgrade {_PACKAGE}`.")
    return 0


def _installer() -> _Installer:
    uv = shutil.which("uv")
    if uv:
        options = ("--no-deps", "--no-header", "--no-annotate", "--refresh", "--quiet")
        command = (uv, "pip", "compile", *options, "--python", sys.executable, "-")
        return _Installer(command, _PACKAGE, re.compile(rf"^{_PACKAGE}==(\S+)", re.MULTILINE))
    pip = shutil.which("pip") or shutil.which("pip3")
    if pip:
        command = (pip, "index", "versions", "--disable-pip-version-check", _PACKAGE)
        return _Installer(command, "", re.compile(rf"^{_PACKAGE} \((\S+)\)", re.MULTILINE))
    raise Unavailable(
        "UPDATE_CHECK_FAILED", "neither uv nor pip is on your PATH", hint="install uv, or use pip"
    )


def _latest(installer: _Installer) -> str:
    try:
        done = subprocess.run(
            installer.command,
            input=installer.input,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            cwd=Path.home(),  # not the settings of a project that happens to be here
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or f"no answer within {DEADLINE_S:.0f} s"
        raise _failed(installer, reason) from error
    match = installer.version.search(done.stdout)
    if match is None:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")]
        raise _failed(installer, (errors or lines or ["it names no release"])[0])
    return match[1]


def _failed(installer: _Installer, reason: str) -> Unavailable:
    program = installer.command[0]
    hint = f"check that {program} reaches your package index"
    return Unavailable("UPDATE_CHECK_FAILED", f"the index was not asked: {reason}", hint=hint)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
