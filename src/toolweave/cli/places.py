"""Where this process stands: what discovery needs to know of the machine."""

import os

from toolweave.app.discovering import places_of
from toolweave.servers.discovery.places import Places


def here() -> Places:
    """The places of this user, directory and platform."""
    return places_of(os.environ)
