"""Runs on Temporal: its address, the workflow of a run, the worker, and the reconciler."""
