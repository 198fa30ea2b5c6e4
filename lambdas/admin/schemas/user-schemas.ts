/** Schemas of users in responses: a user alone, a user in a list, and a user with all records. */
import { USER_STATES } from '../../../core/access/user-state.ts'
import { DETAIL_CALLS_MAX, DETAIL_ENTRIES_MAX } from '../../../core/flow/users/show-user.ts'
import { TOOL_LIST_KINDS } from '../../../core/skills/tool-list-kind.ts'
import type { Properties, Schema } from '../route.ts'
import { KEY, KEY_ID } from '../routes/key-routes.ts'
import { LEDGER_ENTRY } from '../routes/ledger-route.ts'
import { SECRET } from '../routes/secret-routes.ts'
import {
  AT_MS,
  BUDGET_SHOWN,
  COUNT,
  CREDITS_SHOWN,
  SIGNED_CREDITS_SHOWN,
  TEXT,
  toAnsweredObject,
  USER_GROUPS,
} from './field-schemas.ts'

export const USER_STATE: Schema = {
  type: 'string',
  enum: USER_STATES,
  description:
    'Every call of a user who is not active is refused. `deleting` and `deleted` are final.',
  'x-rule': `must be one of ${USER_STATES.join(', ')}`,
}

/** What a user can still spend. */
export const BALANCE_FIELDS: Properties = {
  credits: {
    ...SIGNED_CREDITS_SHOWN,
    description: 'Credits that can be spent; below 0 after a correction with allowNegative.',
  },
  creditsOnHold: { ...CREDITS_SHOWN, description: 'Credits set aside for running calls.' },
  monthlyBudget: BUDGET_SHOWN,
}

const USER_FIELDS: Properties = {
  uid: TEXT,
  username: TEXT,
  tier: TEXT,
  ...BALANCE_FIELDS,
  createdAtMs: AT_MS,
  state: USER_STATE,
  reason: { ...TEXT, description: 'Why the user is not active; the user is shown it.' },
  identity: { ...TEXT, description: 'An outside name that no other user has.' },
  groups: USER_GROUPS,
  lowBalance: {
    ...CREDITS_SHOWN,
    description:
      "The user's own threshold of a low balance; absent: the stage's threshold applies.",
  },
  list: {
    type: 'string',
    enum: TOOL_LIST_KINDS,
    description: "The user's own kind of tool list; absent: that of the stage.",
  },
}

export const USER = toAnsweredObject(
  'User',
  {
    ...USER_FIELDS,
    warnings: {
      type: 'array',
      items: TEXT,
      description:
        'After a change: what is probably a mistake, such as a tier that no setting names, or a username that another user has.',
    },
  },
  ['groups', 'identity', 'list', 'lowBalance', 'monthlyBudget', 'reason', 'warnings'],
)

export const ADA = {
  uid: 'ada',
  username: 'Ada',
  tier: 'free',
  credits: 25,
  creditsOnHold: 0,
  createdAtMs: 1795219200000,
  state: 'active',
}

export const LISTED_USER = toAnsweredObject(
  'ListedUser',
  {
    uid: TEXT,
    username: TEXT,
    tier: TEXT,
    state: USER_STATE,
    identity: TEXT,
    groups: USER_GROUPS,
    createdAtMs: AT_MS,
    ...BALANCE_FIELDS,
  },
  ['credits', 'creditsOnHold', 'groups', 'identity', 'monthlyBudget'],
)

const OWN_SKILL = toAnsweredObject('OwnSkill', {
  skillId: TEXT,
  toolName: TEXT,
  version: COUNT,
  updatedAtMs: AT_MS,
})

const OPEN_STREAM = toAnsweredObject('OpenStream', { keyId: KEY_ID, openedAtMs: AT_MS })

export const USER_DETAIL = toAnsweredObject(
  'UserDetail',
  {
    ...USER_FIELDS,
    keys: { type: 'array', items: KEY },
    secrets: { type: 'array', items: SECRET },
    privateSkills: { type: 'array', items: OWN_SKILL },
    openStreams: { type: 'array', items: OPEN_STREAM },
    lastCalls: {
      type: 'array',
      items: LEDGER_ENTRY,
      maxItems: DETAIL_CALLS_MAX,
      description: 'Running calls first, then the newest.',
    },
    cut: {
      type: 'array',
      items: { type: 'string', enum: ['keys', 'privateSkills', 'secrets'] },
      description: `Lists shown here with their first ${DETAIL_ENTRIES_MAX} entries only; their own routes list all.`,
    },
  },
  ['groups', 'identity', 'list', 'lowBalance', 'monthlyBudget', 'reason'],
)

export const ADA_IN_DETAIL = {
  ...ADA,
  keys: [],
  secrets: [],
  privateSkills: [],
  openStreams: [],
  lastCalls: [],
  cut: [],
}
