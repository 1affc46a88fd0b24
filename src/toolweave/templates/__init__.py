"""Workflow templates, one JSON file each; `gallery.py` reads them. To add one, add a file."""
