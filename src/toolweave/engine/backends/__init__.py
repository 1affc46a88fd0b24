"""Run backends, one module each; a module's name is the scheme of its address."""
