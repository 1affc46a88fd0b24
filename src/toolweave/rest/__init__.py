"""REST: one file per resource under `routes/`; translates, holds no rules."""
