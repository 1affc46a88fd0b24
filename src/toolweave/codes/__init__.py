"""Every code a problem or an error can carry, with its meaning, grouped by subject."""
