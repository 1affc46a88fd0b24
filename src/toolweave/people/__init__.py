"""Questions that runs ask people: the inbox, and replies from other systems."""
