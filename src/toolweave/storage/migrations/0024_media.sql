-- Compatible from 21.
-- Pictures, sounds and files in the results of a run's tools that are too large for its journal.
CREATE TABLE media (
    run TEXT NOT NULL,
    hash TEXT NOT NULL,
    mime_type TEXT,
    size {integer} NOT NULL,
    content {blob} NOT NULL,
    PRIMARY KEY (run, hash)
);
