"""MCP servers: found, approved, started, watched and called through one gate."""
