/**
 * Users as lists read them: the folded name by which they sort, an identity that one user alone has,
 * and a state. Users of an earlier file get their folded name here. No index has a column that a call
 * changes.
 */

export const USERS = `
ALTER TABLE profiles ADD COLUMN nameKey TEXT NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN identity TEXT;
ALTER TABLE profiles ADD COLUMN identityKey TEXT;
ALTER TABLE profiles ADD COLUMN state TEXT NOT NULL DEFAULT 'active';
ALTER TABLE profiles ADD COLUMN stateReason TEXT;
ALTER TABLE profiles ADD COLUMN stateSinceMs INTEGER;
UPDATE profiles SET nameKey = folded_name(username);
CREATE INDEX profiles_by_name ON profiles (nameKey, uid);
CREATE INDEX profiles_by_tier ON profiles (tier, nameKey, uid);
CREATE INDEX profiles_closed ON profiles (nameKey, uid) WHERE state <> 'active';
CREATE UNIQUE INDEX profiles_by_identity ON profiles (identityKey) WHERE identityKey IS NOT NULL;
`
