"""API keys, the vault, references to secrets, masking, and webhook signatures."""
