"""Where this process stands: what discovery needs to know of the machine."""

import os
import sys
from pathlib import Path

from toolweave.servers.discovery.places import Places, Platform


def here() -> Places:
    """The places of this user, directory and platform."""
    known: dict[str, Platform] = {"darwin": "darwin", "win32": "win32"}
    return Places(
        home=Path.home(),
        project=Path.cwd(),
        platform=known.get(sys.platform, "linux"),
        environ=dict(os.environ),
    )
