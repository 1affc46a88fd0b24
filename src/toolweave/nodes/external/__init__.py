"""EXTERNAL_ACTION nodes: what a workflow does in services outside."""
