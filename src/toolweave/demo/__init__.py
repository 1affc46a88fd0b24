"""A small MCP server of ours: harmless, deterministic tools for the first minute and for tests."""
