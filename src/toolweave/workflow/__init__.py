"""Workflows as data: one model, every dialect read and written, modes, checks, names. No I/O."""
