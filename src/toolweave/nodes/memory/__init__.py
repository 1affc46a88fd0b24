"""MEMORY nodes: what a workflow keeps between steps and runs."""
