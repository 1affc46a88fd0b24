"""What a person or a model does to a workflow before it runs: check, repair, preview, lock choices."""
