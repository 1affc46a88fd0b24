-- Workflows whose triggers are on, as they were when that was said: later edits wait for the next.
CREATE TABLE active_workflows (
    slug TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    revision TEXT NOT NULL,
    document TEXT NOT NULL,
    enabled_at TEXT NOT NULL
);

CREATE TABLE active_triggers (
    workflow TEXT NOT NULL,
    node TEXT NOT NULL,
    ref TEXT NOT NULL,
    -- The path of a hook belongs to one trigger.
    path TEXT UNIQUE,
    -- Up to where it has looked: a moment, the last mail, the files that were there.
    seen TEXT,
    fired_at TEXT,
    -- Why its last look failed.
    failure TEXT,
    PRIMARY KEY (workflow, node)
);

-- To find the runs that ended lately.
CREATE INDEX runs_by_finish ON runs (finished_at);
