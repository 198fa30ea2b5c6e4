/**
 * Outcomes in the order of writing, with an index by user and call: a write adds at the end of the table, and is
 * its own news, since `outcomes_taken` says up to where they were taken. Outcomes that a build without an
 * archive wrote come first and end at `staysTo`.
 */
export const OUTCOME_ORDER = `
CREATE TABLE outcomes_in_order (
  seq INTEGER PRIMARY KEY,
  uid TEXT NOT NULL, callId TEXT NOT NULL, skillId TEXT NOT NULL, source TEXT NOT NULL,
  skillVersion INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  amount INTEGER NOT NULL CHECK (amount >= 0), placement INTEGER NOT NULL,
  createdAtMs INTEGER NOT NULL, endedAtMs INTEGER NOT NULL, durationMs INTEGER NOT NULL,
  upstreamStatus INTEGER, counted TEXT, facts TEXT
) STRICT;

INSERT INTO outcomes_in_order
  (uid, callId, skillId, source, skillVersion, state, reason, amount, placement,
   createdAtMs, endedAtMs, durationMs, upstreamStatus, counted, facts)
  SELECT uid, callId, skillId, source, skillVersion, state, reason, amount, placement,
         createdAtMs, endedAtMs, durationMs, upstreamStatus, counted, facts
  FROM outcomes
  LEFT JOIN (SELECT uid, callId, max(seq) AS news FROM outcome_news GROUP BY uid, callId)
    USING (uid, callId)
  ORDER BY coalesce(news, 0), createdAtMs;

CREATE TABLE outcomes_taken (
  only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, staysTo INTEGER NOT NULL
) STRICT;
-- What was taken came first. Joined, since SQLite compares a NOT IN of two columns with every row.
INSERT INTO outcomes_taken (only, seq, staysTo)
  SELECT 1, count(*), 0 FROM outcomes
  LEFT JOIN (SELECT DISTINCT uid, callId, 1 AS isNews FROM outcome_news) USING (uid, callId)
  WHERE isNews IS NULL;
UPDATE outcomes_taken SET staysTo = (
  SELECT coalesce(max(o.seq), 0) FROM outcomes_in_order AS o
  WHERE o.seq <= outcomes_taken.seq AND o.createdAtMs < (SELECT sinceMs FROM archived_since)
);

DROP TABLE outcome_news;
DROP TABLE outcomes;
ALTER TABLE outcomes_in_order RENAME TO outcomes;
CREATE UNIQUE INDEX outcomes_by_call ON outcomes (uid, callId);
`
