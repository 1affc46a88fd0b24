"""Database dialects: one module each, with connections and error messages."""
