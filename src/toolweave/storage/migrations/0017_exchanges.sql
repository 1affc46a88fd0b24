-- What the steps of runs exchanged with tools and models: the source of recordings.
CREATE TABLE exchanges (
    number {identity},
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    -- call, model
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    took_ms {real} NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX exchanges_by_run ON exchanges (run, number);
