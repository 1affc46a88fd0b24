"""Ends with status 3 before reading a byte, saying why on stderr."""

import sys

sys.stderr.write("cannot start: no licence found\n")
sys.exit(3)
