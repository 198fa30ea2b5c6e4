/**
 * Users by group, for lists: a row for each group of a user, which triggers keep beside the profile. A
 * call updates none of the columns that they watch. Profiles are never deleted.
 */

const ENTER = `INSERT INTO user_groups (name, nameKey, uid)
  SELECT value, new.nameKey, new.uid FROM json_each(new.groups) WHERE true ON CONFLICT DO NOTHING;`

export const GROUP_LISTS = `
CREATE TABLE user_groups (
  name TEXT NOT NULL, nameKey TEXT NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (name, nameKey, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_groups_by_user ON user_groups (uid);
INSERT INTO user_groups (name, nameKey, uid)
  SELECT DISTINCT json_each.value, nameKey, uid FROM profiles, json_each(profiles.groups);
CREATE TRIGGER user_groups_enter AFTER INSERT ON profiles BEGIN
  ${ENTER}
END;
CREATE TRIGGER user_groups_change AFTER UPDATE OF nameKey, groups ON profiles BEGIN
  DELETE FROM user_groups WHERE uid = old.uid;
  ${ENTER}
END;
`
