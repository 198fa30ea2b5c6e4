/** Users, keys, secrets and money of the first schema. */

export const ACCOUNTS_1 = `
CREATE TABLE keys (
  keyHash TEXT PRIMARY KEY, uid TEXT NOT NULL, username TEXT NOT NULL, keyPrefix TEXT NOT NULL,
  createdAtMs INTEGER NOT NULL, expiresAtMs INTEGER NOT NULL, renewedAtMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_user ON keys (uid, createdAtMs);

CREATE TABLE profiles (
  uid TEXT PRIMARY KEY, username TEXT NOT NULL, tier TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0), placed INTEGER NOT NULL, holdsToken TEXT NOT NULL,
  createdAtMs INTEGER NOT NULL, skillsChangedAtMs INTEGER NOT NULL,
  moved INTEGER NOT NULL CHECK (moved IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_counters (
  keyHash TEXT NOT NULL, minute INTEGER NOT NULL, calls INTEGER NOT NULL,
  PRIMARY KEY (keyHash, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_counters_by_minute ON rate_counters (minute);

CREATE TABLE secrets (
  uid TEXT NOT NULL, skillId TEXT NOT NULL, name TEXT NOT NULL,
  sealed BLOB NOT NULL, updatedAtMs INTEGER NOT NULL,
  PRIMARY KEY (uid, skillId, name)
) STRICT, WITHOUT ROWID;
`

export const LEDGER_1 = `
CREATE TABLE holds (
  uid TEXT NOT NULL, callId TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount >= 0),
  heldAtMs INTEGER NOT NULL, writeToken TEXT NOT NULL, skillId TEXT NOT NULL,
  source TEXT NOT NULL, placement INTEGER NOT NULL,
  PRIMARY KEY (uid, callId)
) STRICT, WITHOUT ROWID;

CREATE TABLE outcomes (
  uid TEXT NOT NULL, callId TEXT NOT NULL, skillId TEXT NOT NULL, source TEXT NOT NULL,
  skillVersion INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  amount INTEGER NOT NULL CHECK (amount >= 0), placement INTEGER NOT NULL,
  createdAtMs INTEGER NOT NULL, endedAtMs INTEGER NOT NULL, durationMs INTEGER NOT NULL,
  upstreamStatus INTEGER,
  PRIMARY KEY (uid, callId)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  uid TEXT NOT NULL, grantId TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount >= 0),
  createdAtMs INTEGER NOT NULL,
  PRIMARY KEY (uid, grantId)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_entries (
  minute INTEGER NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (minute, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_cursor (
  only INTEGER PRIMARY KEY CHECK (only = 1), minute INTEGER NOT NULL
) STRICT;
`
