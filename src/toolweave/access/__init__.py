"""What must stay secret: the vault, references to it in definitions, and masking what is shown."""
