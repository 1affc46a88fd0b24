"""Stored accounts of outside services, their OAuth tokens, and access to them for nodes."""
