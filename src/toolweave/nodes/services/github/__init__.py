"""GitHub: every node of this service and what they share."""
