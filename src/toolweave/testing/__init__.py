"""Fakes for tests: a controllable clock, a scripted server, a scripted model."""
