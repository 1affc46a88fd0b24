CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
);

CREATE TABLE node_usage (
    ref TEXT PRIMARY KEY,
    asked {integer} NOT NULL DEFAULT 0,
    last_asked_at TEXT NOT NULL
);
