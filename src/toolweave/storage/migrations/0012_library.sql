-- Repositories of flows and templates, by what they are called here.
CREATE TABLE libraries (
    name TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    protocol TEXT NOT NULL,
    ref TEXT NOT NULL,
    added_at TEXT NOT NULL
);

-- What a ref stood for when the remote was last asked.
CREATE TABLE library_heads (
    library TEXT NOT NULL,
    ref TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    PRIMARY KEY (library, ref)
);

-- What was read at a commit: lists, flows and templates, as JSON.
CREATE TABLE library_entries (
    library TEXT NOT NULL,
    entry TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (library, entry)
);

-- Which server a section of a document uses, set beside the document.
CREATE TABLE section_bindings (
    id TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    binding TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX section_bindings_by_document ON section_bindings (document);
