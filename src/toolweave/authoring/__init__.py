"""Work on a workflow before it runs: check, repair, preview, switch modes, lock choices."""
