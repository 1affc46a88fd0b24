"""The expression language (CEL): parsed, checked and evaluated within a budget."""
