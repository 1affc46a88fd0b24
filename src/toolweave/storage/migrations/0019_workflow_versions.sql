-- Every save of a workflow; versions with the same content share it.
CREATE TABLE workflow_contents (
    revision TEXT PRIMARY KEY,
    content {blob} NOT NULL
);

CREATE TABLE workflow_versions (
    slug TEXT NOT NULL,
    number {integer} NOT NULL,
    revision TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    -- The name of the key or user; none for a file that another program wrote.
    author TEXT,
    -- The name that a user gave to it; such versions are never pruned.
    label TEXT,
    PRIMARY KEY (slug, number)
);
CREATE INDEX workflow_versions_by_revision ON workflow_versions (revision);
