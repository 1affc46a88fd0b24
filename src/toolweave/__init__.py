"""Toolweave weaves MCP tools into workflows you can see, trust and run."""

__version__ = "0.2.0"
