"""MCP servers: discovery, approval, processes, health, and the one gate of tool calls."""
