"""Starts `toolweave` as real processes that need not import it anew: see `starting.py`."""
