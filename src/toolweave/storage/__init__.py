"""Where things are kept: one small interface over SQLite and Postgres, migrations, the lock."""
