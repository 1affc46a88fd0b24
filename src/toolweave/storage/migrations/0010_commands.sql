-- Programs a person registered for ACTION.RUN_COMMAND; one runs only as it was approved.
CREATE TABLE commands (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    approved_hash TEXT,
    created_at TEXT NOT NULL
);
