"""TRIGGER nodes: what starts a run."""
