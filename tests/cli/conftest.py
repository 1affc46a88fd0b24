"""The command line with a home of its own for each test."""

import logging
from pathlib import Path

import pytest
from tests.cli.driving import Commands


@pytest.fixture
def tw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    commands = Commands(tmp_path / "home", tmp_path / "project")
    commands.home.mkdir()
    commands.project.mkdir()
    monkeypatch.chdir(commands.project)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    # Commands change it for their process.
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    return commands
