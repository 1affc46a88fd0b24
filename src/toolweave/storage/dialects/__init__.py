"""One file per database: how to open it, and how its errors are told."""
