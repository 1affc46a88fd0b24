-- A workflow keeps its earlier tool names when it is published under a new one.
CREATE TABLE published_tools (
    tool TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
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
    published_at TEXT NOT NULL,
    -- The effects of a call as hints of MCP; none for what was published before.
    annotations TEXT,
    -- The current name of an earlier one.
    replaced_by TEXT
);

INSERT INTO published_tools
    (tool, slug, workflow, description, revision, document, input_schema, output_schema,
     if_left, tasks, published_at)
SELECT tool, slug, workflow, description, revision, document, input_schema, output_schema,
     if_left, tasks, published_at
FROM published_workflows;

DROP TABLE published_workflows;

CREATE INDEX published_tools_by_workflow ON published_tools (slug);
