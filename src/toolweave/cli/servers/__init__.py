"""`toolweave servers …`: one file per command."""
