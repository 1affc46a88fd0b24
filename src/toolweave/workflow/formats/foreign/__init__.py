"""Expressions of other languages, read as one tree and written as CEL for a fix."""
