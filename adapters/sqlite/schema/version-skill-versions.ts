/** What skills were, and who made what they are; both are unknown of skills that were stored before. */
export const VERSION_SKILL_VERSIONS = `
ALTER TABLE skills ADD COLUMN madeBy TEXT;
ALTER TABLE skills ADD COLUMN origin TEXT;

CREATE TABLE skill_versions (
  source TEXT NOT NULL, uid TEXT NOT NULL, skillId TEXT NOT NULL, version INTEGER NOT NULL,
  toolName TEXT NOT NULL, definition TEXT NOT NULL,
  createdAtMs INTEGER NOT NULL, updatedAtMs INTEGER NOT NULL, madeBy TEXT, origin TEXT,
  PRIMARY KEY (source, uid, skillId, version)
) STRICT, WITHOUT ROWID;
`
