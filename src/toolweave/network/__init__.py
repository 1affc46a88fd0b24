"""The one outbound HTTP client: address rules, size limits, log redaction."""
