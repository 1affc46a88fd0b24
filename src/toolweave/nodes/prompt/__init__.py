"""Nodes of the visual editor and of flows: starts, ends, texts and branches."""
