"""TOOL nodes: MCP servers of a known kind, for an agent to use or to call as a step."""
