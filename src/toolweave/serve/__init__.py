"""Joins the doors into one process; the only room above them."""
