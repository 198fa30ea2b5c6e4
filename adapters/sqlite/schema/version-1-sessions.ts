/** What lives for an hour or a day in the first schema: sessions, replies, leases and stored answers. */

export const SESSIONS_1 = `
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY, keyHash TEXT NOT NULL, uid TEXT, sealedAuthorization BLOB,
  createdAtMs INTEGER NOT NULL, lastPostAtMs INTEGER NOT NULL, aliveUntilMs INTEGER NOT NULL,
  endedAtMs INTEGER, seq INTEGER NOT NULL, base INTEGER NOT NULL, expiresAtMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_end ON sessions (expiresAtMs);

CREATE TABLE pending_requests (
  hash TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, postedAtMs INTEGER NOT NULL,
  calls INTEGER NOT NULL, writeToken TEXT NOT NULL,
  PRIMARY KEY (hash, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE replies (
  hash TEXT NOT NULL, seq INTEGER NOT NULL, sealed BLOB NOT NULL, expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (hash, seq)
) STRICT;
CREATE INDEX replies_by_end ON replies (expiresAtMs);

CREATE TABLE leases (
  keyHash TEXT NOT NULL, session TEXT NOT NULL, openedAtMs INTEGER NOT NULL,
  expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (keyHash, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX leases_by_end ON leases (expiresAtMs);

CREATE TABLE client_responses (
  hash TEXT PRIMARY KEY, expiresAtMs INTEGER NOT NULL, sealed BLOB, goneAtMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX client_responses_by_end ON client_responses (goneAtMs);

CREATE TABLE idempotency_records (
  id TEXT PRIMARY KEY, bodyHash TEXT NOT NULL, keyHash TEXT NOT NULL, uid TEXT NOT NULL,
  callId TEXT NOT NULL, writeToken TEXT NOT NULL, claimedAtMs INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('not-yet', 'too_large', 'kept')), sealed BLOB,
  expiresAtMs INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_records_by_end ON idempotency_records (expiresAtMs);
`
