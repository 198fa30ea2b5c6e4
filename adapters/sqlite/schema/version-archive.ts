/**
 * News of grants for the archive, beside those of outcomes; and since when there is an archive: outcomes
 * of before never end.
 */
export const ARCHIVE = `
CREATE TABLE grant_news (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL, grantId TEXT NOT NULL
) STRICT;
INSERT INTO grant_news (uid, grantId) SELECT uid, grantId FROM grants;

CREATE TABLE archived_since (
  only INTEGER PRIMARY KEY CHECK (only = 1), sinceMs INTEGER NOT NULL
) STRICT;
INSERT INTO archived_since (only, sinceMs)
  VALUES (1, CASE WHEN EXISTS (SELECT 1 FROM outcomes) THEN unixepoch() * 1000 ELSE 0 END);
`
