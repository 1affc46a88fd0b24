"""`toolweave runs`: one file for what reads, one for what looks closely, one for what steers."""
