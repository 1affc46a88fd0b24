-- Workflows as they were when a run began, by the hash of their text.
CREATE TABLE documents (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
);

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL,
    document TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Who writes must hold the newest epoch; `seq` is the last number given out.
    epoch {integer} NOT NULL DEFAULT 0,
    seq {integer} NOT NULL DEFAULT 0,
    -- Who brings it forward now, and until when that counts without a word.
    holder TEXT,
    held_until TEXT,
    started_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    finished_at TEXT,
    wake_at TEXT,
    trigger_kind TEXT,
    -- Of two deliveries of the same thing, one starts a run.
    once_key TEXT UNIQUE,
    fork_of TEXT,
    error TEXT
);
CREATE INDEX runs_by_status ON runs (status, started_at);
CREATE INDEX runs_by_start ON runs (started_at);
CREATE INDEX runs_by_wake ON runs (wake_at);
CREATE INDEX runs_by_workflow ON runs (workflow, started_at);

CREATE TABLE journal (
    run TEXT NOT NULL,
    seq {integer} NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT,
    -- A body too large for a row stands in `blobs`.
    blob TEXT,
    PRIMARY KEY (run, seq)
);

CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
);
