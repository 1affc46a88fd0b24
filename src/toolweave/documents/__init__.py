"""Markdown documents with tool blocks: parsed to the byte, run through the gate, written back."""
