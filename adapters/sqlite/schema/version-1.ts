/**
 * The first schema: a table for each kind of record. Columns are named like the attributes of the records
 * in docs/data-model.md. Amounts are whole micro-credits. Times are milliseconds, `minute` is minutes
 * since 1970. Tables whose rows end have an index by their end, so that expired rows are found at once.
 */
import { ACCOUNTS_1, LEDGER_1 } from './version-1-accounts.ts'
import { SESSIONS_1 } from './version-1-sessions.ts'

const REGISTRY_1 = `
CREATE TABLE skills (
  source TEXT NOT NULL, uid TEXT NOT NULL, skillId TEXT NOT NULL,
  toolName TEXT NOT NULL, definition TEXT NOT NULL,
  createdAtMs INTEGER NOT NULL, updatedAtMs INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (source, uid, skillId)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_names (
  uid TEXT NOT NULL, toolName TEXT NOT NULL, skillId TEXT NOT NULL,
  PRIMARY KEY (uid, toolName)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_list (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version TEXT NOT NULL, renewed INTEGER NOT NULL, parts INTEGER NOT NULL
) STRICT;

CREATE TABLE tool_list_parts (
  version TEXT NOT NULL, part INTEGER NOT NULL, tools TEXT NOT NULL, madeAtMs INTEGER NOT NULL,
  PRIMARY KEY (version, part)
) STRICT;
CREATE INDEX tool_list_parts_by_time ON tool_list_parts (madeAtMs);

CREATE TABLE tool_drafts (
  id TEXT NOT NULL, part INTEGER NOT NULL, tools TEXT NOT NULL, expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (id, part)
) STRICT;
CREATE INDEX tool_drafts_by_end ON tool_drafts (expiresAtMs);

CREATE TABLE tool_list_version (
  only INTEGER PRIMARY KEY CHECK (only = 1), changedAtMs INTEGER NOT NULL
) STRICT;
`

/** What the earlier service kept; a gateway on a laptop has none unless it was brought here. */
const MIGRATION_1 = `
CREATE TABLE v0_records (
  kind TEXT NOT NULL CHECK (kind IN ('credits', 'tier', 'key')), name TEXT NOT NULL,
  valueKind TEXT NOT NULL CHECK (valueKind IN ('number', 'text', 'other')), value TEXT,
  moved INTEGER NOT NULL CHECK (moved IN (0, 1)),
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE v0_asked (keyHash TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`

export const VERSION_1 = [ACCOUNTS_1, LEDGER_1, REGISTRY_1, SESSIONS_1, MIGRATION_1].join('\n')
