/**
 * What is kept of calls beside their money: facts of an outcome, excerpts of failed
 * answers, news of outcomes for the sums, and pages and sums of calls.
 */

export const CALLS = `
ALTER TABLE outcomes ADD COLUMN facts TEXT;

CREATE TABLE call_excerpts (
  uid TEXT NOT NULL, callId TEXT NOT NULL, text TEXT NOT NULL, expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (uid, callId)
) STRICT;
CREATE INDEX call_excerpts_by_end ON call_excerpts (expiresAtMs);

CREATE TABLE outcome_news (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL, callId TEXT NOT NULL
) STRICT;

CREATE TABLE usage_pages (
  slot INTEGER NOT NULL, id TEXT NOT NULL, rows TEXT NOT NULL, expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (slot, id)
) STRICT;
CREATE INDEX usage_pages_by_end ON usage_pages (expiresAtMs);

CREATE TABLE usage_sums (
  series TEXT NOT NULL, hour INTEGER NOT NULL, version INTEGER NOT NULL, sums TEXT NOT NULL,
  PRIMARY KEY (series, hour)
) STRICT;

CREATE TABLE usage_head (
  only INTEGER PRIMARY KEY CHECK (only = 1), closed INTEGER NOT NULL, rolled INTEGER NOT NULL
) STRICT;
`
