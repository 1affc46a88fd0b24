"""FLOW nodes: which way a run goes, and when."""
