-- Programs that sign in to this studio with OAuth, codes on their way, and what was granted.
CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    redirects TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE TABLE oauth_codes (
    hash TEXT PRIMARY KEY,
    asked TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    -- The key that was made of it.
    key_id TEXT
);

-- A grant is a key that its program can renew.
CREATE TABLE oauth_grants (
    key_id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    refresh_hash TEXT NOT NULL UNIQUE,
    -- The renewal before: whoever sends it has stolen it, or was stolen from.
    spent_hash TEXT,
    expires_at TEXT NOT NULL
);

ALTER TABLE api_keys ADD COLUMN expires_at TEXT;

-- The program that a key was granted to with OAuth.
ALTER TABLE api_keys ADD COLUMN client TEXT;
