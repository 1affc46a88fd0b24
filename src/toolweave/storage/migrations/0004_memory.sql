-- What MEMORY nodes keep. Keys and ids are JSON strings without their quotes, so any text fits.
-- A file of a workflow's own that the node opens as a store gets these tables too.

CREATE TABLE memory_keys (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    -- Seconds since 1970; nothing is kept for good.
    expires_at {real}
);
CREATE INDEX memory_keys_by_end ON memory_keys (expires_at);

-- Steps that have done their work, for as long as one might be tried again.
CREATE TABLE memory_steps (
    step TEXT PRIMARY KEY,
    at {real} NOT NULL
);
CREATE INDEX memory_steps_by_time ON memory_steps (at);

CREATE TABLE memory_messages (
    id {identity},
    conversation TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX memory_messages_by_conversation ON memory_messages (conversation, id);

CREATE TABLE memory_summaries (
    conversation TEXT PRIMARY KEY,
    body TEXT NOT NULL
);

-- A space is a table of vectors made alike; its version grows with every change.
CREATE TABLE memory_spaces (
    space TEXT PRIMARY KEY,
    version {integer} NOT NULL
);

CREATE TABLE memory_vectors (
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    -- 32-bit floats, little end first, of length 1.
    vector {blob} NOT NULL,
    PRIMARY KEY (space, id)
);
