"""Expression syntaxes of other systems, translated to CEL when a file is loaded."""
