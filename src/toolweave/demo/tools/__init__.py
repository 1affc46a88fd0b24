"""The demo server's tools, one file per family."""
