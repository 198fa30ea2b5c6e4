/** Events on their way to the operator's webhook or event bus, and what profiles remember of them. */

export const EVENTS_VERSION = `
ALTER TABLE profiles ADD COLUMN lowBalanceAt INTEGER;
ALTER TABLE profiles ADD COLUMN lowBalanceTold TEXT;

CREATE TABLE events (
  state TEXT NOT NULL, eventId TEXT NOT NULL, type TEXT NOT NULL, createdAtMs INTEGER NOT NULL,
  data TEXT NOT NULL, attempts INTEGER NOT NULL, nextAtMs INTEGER NOT NULL, error TEXT,
  endedAtMs INTEGER, expiresAtMs INTEGER NOT NULL, PRIMARY KEY (eventId)
) STRICT;
CREATE INDEX events_by_state ON events (state, eventId);
CREATE INDEX events_by_end ON events (expiresAtMs);
`
