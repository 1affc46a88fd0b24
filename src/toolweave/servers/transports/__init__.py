"""How messages reach a server: one file per transport."""
