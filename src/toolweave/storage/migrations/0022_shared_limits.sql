-- Compatible from 21.
-- Limits of calls and runs that hold across all processes.
ALTER TABLE servers ADD COLUMN max_concurrent {integer};
ALTER TABLE servers ADD COLUMN max_per_second {real};

-- One row for each limit: the earliest time of the next start, by the database's clock.
CREATE TABLE limit_states (
    name TEXT PRIMARY KEY,
    next_at {real} NOT NULL
);

-- Who has a slot, and until when that counts if its process is silent.
CREATE TABLE limit_holds (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    held_until {real} NOT NULL
);
CREATE INDEX limit_holds_by_name ON limit_holds (name);

-- Runs that wait for a slot of their workflow; the oldest is woken first.
CREATE TABLE limit_waiters (
    run TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    since TEXT NOT NULL
);
CREATE INDEX limit_waiters_by_name ON limit_waiters (name, since);

-- The lowest version of the engine that can drive the run (`engine/compatibility.py`).
ALTER TABLE runs ADD COLUMN compatible_from {integer} NOT NULL DEFAULT 1;
-- The engine version of a process that drives runs.
ALTER TABLE keepers ADD COLUMN version {integer} NOT NULL DEFAULT 1;
-- The lowest schema that a program must know to use this one; none is this one itself.
ALTER TABLE schema_version ADD COLUMN compatible_from {integer};
