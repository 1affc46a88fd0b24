"""What a node may touch: HTTP, files, databases, stores, mail, commands."""
