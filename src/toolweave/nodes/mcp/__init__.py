"""Nodes that call a tool of an MCP server."""
