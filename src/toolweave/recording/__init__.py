"""Recordings of runs: written from the journal and the exchanges, replayed without connections."""
