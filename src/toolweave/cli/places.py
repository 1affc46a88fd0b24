"""Where this process stands: what discovery needs to know of the machine."""

import os

from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.import_servers import places_of


def here() -> ClientLocations:
    """The places of this user, directory and platform."""
    return places_of(os.environ)
