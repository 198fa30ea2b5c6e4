/** Users carry groups; `groups` is a JSON list of names. */

export const GROUPS_VERSION = `ALTER TABLE profiles ADD COLUMN groups TEXT NOT NULL DEFAULT '[]';`
