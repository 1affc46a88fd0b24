"""Durable runs: a journal of what happened, a pure decision what is next, a loop that does it."""
