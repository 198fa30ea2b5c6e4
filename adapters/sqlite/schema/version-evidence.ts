/** Keys of administrators, and the trail of their changes (ADR 0046). */

export const EVIDENCE = `
CREATE TABLE admin_keys (
  keyId TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL, keyPrefix TEXT NOT NULL,
  createdAtMs INTEGER NOT NULL, createdBy TEXT NOT NULL, expiresAtMs INTEGER, lastUsedDay TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_records (
  day TEXT NOT NULL, intent INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('intent', 'outcome')),
  seq INTEGER NOT NULL, prev TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, link TEXT,
  expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (day, intent, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_records_by_end ON audit_records (expiresAtMs);

CREATE TABLE audit_heads (
  day TEXT PRIMARY KEY, count INTEGER NOT NULL, hash TEXT NOT NULL, expiresAtMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_heads_by_end ON audit_heads (expiresAtMs);

CREATE TABLE audit_last_day (only INTEGER PRIMARY KEY CHECK (only = 1), day TEXT NOT NULL) STRICT;
`
