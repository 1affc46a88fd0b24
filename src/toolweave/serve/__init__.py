"""The processes: `toolweave serve` and `toolweave mcp`."""
