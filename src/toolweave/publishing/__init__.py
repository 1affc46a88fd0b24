"""Workflows as MCP tools: what is published, and the frozen copy that runs."""
