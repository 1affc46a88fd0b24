-- Whether a secret goes only where it was allowed; secrets stored before this go anywhere, with a
-- warning in the log.
ALTER TABLE secrets ADD COLUMN bound {integer} NOT NULL DEFAULT 0;

CREATE TABLE secret_destinations (
    secret TEXT NOT NULL,
    -- host, server
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    allowed_at TEXT NOT NULL,
    allowed_by TEXT NOT NULL,
    PRIMARY KEY (secret, kind, name)
);
