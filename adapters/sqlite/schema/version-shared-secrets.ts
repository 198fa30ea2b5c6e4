/** The gateway's own secrets. `skillId` is `-` for all skills; a use outlives its secret. */

export const SHARED_SECRETS_VERSION = `
CREATE TABLE shared_secrets (
  skillId TEXT NOT NULL, name TEXT NOT NULL, sealed BLOB NOT NULL, binding TEXT NOT NULL,
  setBy TEXT NOT NULL, updatedAtMs INTEGER NOT NULL,
  previousSealed BLOB, previousBinding TEXT, previousUntilMs INTEGER,
  PRIMARY KEY (skillId, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE secret_uses (
  skillId TEXT NOT NULL, name TEXT NOT NULL, day INTEGER NOT NULL,
  PRIMARY KEY (skillId, name)
) STRICT, WITHOUT ROWID;
`
