-- What runs ask people: an index beside the journal, which stays the truth.
CREATE TABLE questions (
    id TEXT NOT NULL,
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    channel TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    due_at TEXT,
    -- Kept for a while, so that whoever answers late can be told so.
    closed_at TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (run, step)
);
CREATE INDEX questions_by_id ON questions (id);
CREATE INDEX questions_open ON questions (channel, asked_at) WHERE closed_at IS NULL;

-- Messages of people that were taken in: one that comes again is the same one.
CREATE TABLE heard (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (channel, message)
);
CREATE INDEX heard_by_time ON heard (at);
