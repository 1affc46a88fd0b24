"""Outside services: one package per vendor with its API, action, question and trigger nodes."""
