"""AI_AGENT nodes: one model provider each."""
