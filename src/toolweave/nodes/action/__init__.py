"""ACTION nodes: what a workflow does by itself."""
