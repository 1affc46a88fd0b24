"""A machine made of directories: a home, a project in it, and the system's own root."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from toolweave.servers.discovery.locations import ClientLocations


@pytest.fixture
def places(tmp_path: Path) -> ClientLocations:
    root = tmp_path.resolve()
    home = root / "home" / "ada"
    project = home / "work" / "app"
    project.mkdir(parents=True)
    return ClientLocations(home=home, project=project, platform="linux", environ={}, root=root)


@pytest.fixture
def put() -> Callable[[Path, object], Path]:
    """Writes text or bytes as they are, everything else as JSON."""

    def write(path: Path, content: object) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=2)
            path.write_text(text, encoding="utf-8")
        return path

    return write
