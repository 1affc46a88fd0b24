"""Toolweave as an MCP server, over stdio and streamable HTTP, in both protocol eras."""
