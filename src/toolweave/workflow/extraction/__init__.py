"""Moves selected nodes of a workflow into a workflow of their own."""
