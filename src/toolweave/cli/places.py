"""Where this process stands: what discovery needs to know of the machine."""

import os

from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.import_servers import client_locations


def here() -> ClientLocations:
    """The places of this user, directory and platform."""
    return client_locations(os.environ)
