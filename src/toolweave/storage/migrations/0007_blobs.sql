-- To find the large values that no run holds any more without reading the whole journal.
CREATE INDEX journal_by_blob ON journal (blob) WHERE blob IS NOT NULL;
