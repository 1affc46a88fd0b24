-- Times are ISO text in UTC, booleans are 0 and 1, JSON is text: the same on every dialect.

CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,
    scope TEXT NOT NULL,
    found_in TEXT,
    enabled {integer} NOT NULL DEFAULT 0,
    approved_hash TEXT,
    failure_count {integer} NOT NULL DEFAULT 0,
    auto_disabled {integer} NOT NULL DEFAULT 0,
    last_connected_at TEXT,
    last_failure TEXT,
    created_at TEXT NOT NULL
);

-- Nothing refers to servers: the history of a server outlives it.
CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    status TEXT NOT NULL,
    source TEXT,
    scope TEXT,
    location TEXT,
    line {integer},
    submitted_at TEXT NOT NULL,
    started_at TEXT,
    completed_at TEXT,
    retry_attempt {integer} NOT NULL DEFAULT 0,
    took_ms {real},
    error_code TEXT,
    error_message TEXT
);
CREATE INDEX calls_by_server ON calls (server, submitted_at);
CREATE INDEX calls_by_time ON calls (submitted_at);

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    nonce {blob} NOT NULL,
    sealed {blob} NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE notices (
    id {identity},
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    message TEXT NOT NULL
);

CREATE TABLE health (
    server_id TEXT NOT NULL,
    at TEXT NOT NULL,
    ok {integer} NOT NULL,
    latency_ms {real},
    reason TEXT,
    tool_count {integer}
);
CREATE INDEX health_by_server ON health (server_id, at);
