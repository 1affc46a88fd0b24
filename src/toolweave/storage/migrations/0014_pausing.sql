-- Since when a trigger that is on starts nothing; nothing where nobody paused it.
ALTER TABLE active_triggers ADD COLUMN paused_at TEXT;

-- The last occasions of each trigger and what came of them.
CREATE TABLE trigger_firings (
    id {identity},
    workflow TEXT NOT NULL,
    node TEXT NOT NULL,
    at TEXT NOT NULL,
    -- started, ignored, refused, paused
    outcome TEXT NOT NULL,
    run TEXT,
    reason TEXT
);

CREATE INDEX trigger_firings_by_trigger ON trigger_firings (workflow, node, id);
