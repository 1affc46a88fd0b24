-- Workflows that are tools of every MCP client, as they were when they were published.
CREATE TABLE published_workflows (
    tool TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    description TEXT NOT NULL,
    revision TEXT NOT NULL,
    document TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    output_schema TEXT,
    -- What becomes of a run whose caller has left: cancel or continue.
    if_left TEXT NOT NULL,
    -- When callers who know tasks get a handle: auto, always, only.
    tasks TEXT NOT NULL,
    published_at TEXT NOT NULL
);

-- The only published tools that a key may see and run; nothing where it may all.
ALTER TABLE api_keys ADD COLUMN tools TEXT;
