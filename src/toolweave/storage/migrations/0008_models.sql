CREATE TABLE models (
    name TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    base_url TEXT NOT NULL,
    has_key {integer} NOT NULL DEFAULT 0,
    is_default {integer} NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
);
