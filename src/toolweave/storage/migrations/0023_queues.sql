-- Compatible from 21.
-- The queue whose workers can continue a run now; nothing if every worker can.
ALTER TABLE runs ADD COLUMN queue TEXT;
-- The queues that a process serves, separated by commas.
ALTER TABLE keepers ADD COLUMN queues TEXT NOT NULL DEFAULT 'default';
-- The queue whose workers start a server and call its tools; nothing for every process.
ALTER TABLE servers ADD COLUMN queue TEXT;
