"""Nodes of the drawing tool and of flows: starts, ends, texts and branches."""
