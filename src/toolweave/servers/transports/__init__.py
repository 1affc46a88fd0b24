"""MCP transports: one module each."""
