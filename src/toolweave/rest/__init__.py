"""REST API: one file per resource under `routes/`; it translates and holds no rules."""
