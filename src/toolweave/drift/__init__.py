"""Changed tools of servers: how they differ from the approved ones, and what adapts workflows."""
