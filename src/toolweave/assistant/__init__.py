"""Language models: configuration, providers, and conversations with tools."""
