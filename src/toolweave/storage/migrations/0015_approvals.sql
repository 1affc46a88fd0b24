-- Who approved a server's definition, and when; nothing for approvals before this was recorded.
ALTER TABLE servers ADD COLUMN approved_at TEXT;
ALTER TABLE servers ADD COLUMN approved_by TEXT;
