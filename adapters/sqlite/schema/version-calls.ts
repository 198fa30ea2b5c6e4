/** What is kept of calls beside their money: facts of an outcome, and excerpts of failed answers. */

export const CALLS = `
ALTER TABLE outcomes ADD COLUMN facts TEXT;

CREATE TABLE call_excerpts (
  uid TEXT NOT NULL, callId TEXT NOT NULL, text TEXT NOT NULL, expiresAtMs INTEGER NOT NULL,
  PRIMARY KEY (uid, callId)
) STRICT;
CREATE INDEX call_excerpts_by_end ON call_excerpts (expiresAtMs);
`
