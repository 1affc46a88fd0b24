"""CEL for conditions and mappings, templates around it, and older syntaxes translated to it."""
