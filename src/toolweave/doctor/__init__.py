"""Diagnostics of this machine and this home: findings, each with a remedy."""
