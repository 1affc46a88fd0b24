"""`toolweave runs`: list, show and control runs."""
