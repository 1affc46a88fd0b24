"""The command line with the demo server, whose tools are real and deterministic."""

import sys
from pathlib import Path

import pytest
from tests.cli.conftest import tw as tw
from tests.cli.driving import Commands

DEMO = (sys.executable, "-m", "toolweave.cli.main", "demo-server")


@pytest.fixture
def demo(tw: Commands) -> Commands:
    tw.ok("servers", "add", "demo", "--", *DEMO)
    tw.ok("servers", "approve", "demo", "--yes")
    return tw


@pytest.fixture
def recordings(tw: Commands) -> Path:
    return tw.project / "recordings"
