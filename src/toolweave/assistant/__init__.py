"""Language models: who can be asked, how each provider is spoken to, conversations with tools."""
