"""Flows and prompt templates kept in git repositories: listed, shown and run at a ref."""
