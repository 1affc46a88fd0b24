"""Fakes we ship, for our tests and for those of others: a clock to move, a server to script."""
