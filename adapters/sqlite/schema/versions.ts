/** The schema, version by version. A version that was released is never edited: a change is a new one. */
import { VERSION_1 } from './version-1.ts'
import { ARCHIVE } from './version-archive.ts'
import { CALLS } from './version-calls.ts'
import { EVENT_RESENDS } from './version-event-resends.ts'
import { EVENTS_VERSION } from './version-events.ts'
import { EVIDENCE } from './version-evidence.ts'
import { GROUP_LISTS } from './version-group-lists.ts'
import { GROUPS_VERSION } from './version-groups.ts'
import { VERSION_BUDGETS, VERSION_CORRECTIONS } from './version-money.ts'
import { NEWS_NUMBERS } from './version-news-numbers.ts'
import { OUTCOME_ORDER } from './version-outcome-order.ts'
import { SHARED_SECRETS_VERSION } from './version-shared-secrets.ts'
import { VERSION_SKILL_VERSIONS } from './version-skill-versions.ts'
import { USERS } from './version-users.ts'

/** What a secret may be used for (ADR 0033); absent for secrets that were set before. */
const VERSION_2 = 'ALTER TABLE secrets ADD COLUMN binding TEXT;'

/** Each connection remembers profiles by the epoch of the database, so their rows need no token. */
const WITHOUT_TOKENS = 'ALTER TABLE profiles DROP COLUMN holdsToken;'

/** Grows with each change of any tool list, so that other processes see by one row that there was one. */
const LIST_CHANGES = `
CREATE TABLE list_changes (
  only INTEGER PRIMARY KEY CHECK (only = 1), count INTEGER NOT NULL
) STRICT;
`

const VERSION_3 = WITHOUT_TOKENS + LIST_CHANGES

/** The users who took a name; `uids` is a JSON list. Users of before have no claim until a rename. */
const VERSION_4 = `
CREATE TABLE usernames (
  name TEXT PRIMARY KEY, uids TEXT NOT NULL, version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/** Name and version of the client of a session, from its `initialize`. */
const SESSION_CLIENTS = 'ALTER TABLE sessions ADD COLUMN client TEXT;'

/** A sweep that its time ended goes on within a minute, and leaves out minutes that it has visited ahead. */
const SWEEP_PLACES = `
ALTER TABLE sweep_cursor ADD COLUMN after TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_cursor ADD COLUMN aheadFrom INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep_cursor ADD COLUMN aheadTo INTEGER NOT NULL DEFAULT 0;
`

/** Null in grants of an earlier build, and of the migration. */
const GRANTS_BY = 'ALTER TABLE grants ADD COLUMN madeBy TEXT;'

export const SCHEMA_VERSIONS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_CORRECTIONS,
  VERSION_SKILL_VERSIONS,
  USERS,
  EVIDENCE,
  VERSION_BUDGETS,
  GROUPS_VERSION,
  SHARED_SECRETS_VERSION,
  CALLS,
  GROUP_LISTS,
  EVENTS_VERSION,
  ARCHIVE,
  EVENT_RESENDS,
  SESSION_CLIENTS,
  SWEEP_PLACES,
  NEWS_NUMBERS,
  OUTCOME_ORDER,
  GRANTS_BY,
]
