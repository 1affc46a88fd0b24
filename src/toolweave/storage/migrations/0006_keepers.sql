-- The processes that bring runs forward by themselves, so that commands leave it to them.
CREATE TABLE keepers (
    holder TEXT PRIMARY KEY,
    seen_at TEXT NOT NULL
);
