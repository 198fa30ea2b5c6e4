/**
 * Schemas of single fields, with the code's named limits, and functions that join fields to
 * objects. A refusal of a field shows its `x-rule` instead of the validator's own message.
 */
import {
  IDENTIFIER_PATTERN,
  IDENTIFIER_RULE,
  IDENTITY_CHARS_MAX,
  IDENTITY_RULE,
  USERNAME_CHARS_MAX,
  USERNAME_RULE,
} from '../../../core/access/user-names.ts'
import { CURSOR_CHARS_MAX, writeCursorRule } from '../../../core/json/cursor.ts'
import { CREDITS_MAX, MICRO_PER_CREDIT } from '../../../core/ledger/amount.ts'
import {
  GROUP_PATTERN,
  GROUP_RULE,
  SKILL_GROUPS_MAX,
  USER_GROUPS_MAX,
  writeGroupsRule,
} from '../../../core/skills/group-names.ts'
import { SKILL_ID_CHARS_MAX } from '../../../core/skills/limits.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { Properties, RoutedRequest, Schema } from '../route.ts'

/** Returns the schema of an object in a request: these fields and no others. */
export function toSentObject(
  title: string,
  properties: Properties,
  required: readonly string[],
): Schema {
  return { title, type: 'object', properties, required, additionalProperties: false }
}

/**
 * Returns the schema of an object in a response. Later builds may add fields, so clients must
 * accept unknown ones.
 */
export function toAnsweredObject(
  title: string,
  properties: Properties,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { title, type: 'object', properties, required }
}

/** Open, because each code has parameters of its own, and later versions have more codes. */
export const REMEDY = {
  title: 'Remedy',
  type: 'object',
  description:
    'What to do about it: a code with its parameters. The detail beside it ends with text, which words it as a request.',
  properties: {
    code: { type: 'string' },
    text: { type: 'string' },
    uid: { type: 'string' },
    amount: { type: 'string', description: 'Credits.' },
    keyId: { type: 'string' },
    name: { type: 'string', description: 'Of the secret.' },
    role: { type: 'string', description: 'Of a key of the admin API.' },
    shared: { type: 'boolean', description: 'A secret for all users would do, too.' },
    skill: { type: 'string' },
    upstream: { type: 'string' },
  },
  required: ['code', 'text'],
  examples: [{ code: 'create_user', uid: 'ada', text: 'POST /v1/admin/users creates one.' }],
}

/** The query parameter with which an author says that a credential may be in the clear. */
export const CLEAR_SECRETS: Schema = {
  type: 'string',
  enum: ['allow', 'refuse'],
  default: 'refuse',
  description:
    'What becomes of a skill with a credential in the clear, such as a literal `Authorization` header. `allow`: it is stored, with a warning.',
  'x-rule': 'must be allow or refuse',
}

export function readClearSecrets({ query }: Pick<RoutedRequest, 'query'>): 'allow' | undefined {
  return query['clear_secrets'] === 'allow' ? 'allow' : undefined
}

/** Returns the schema `{"<things>": […], "nextCursor"?}`. */
export function toAnsweredPage(title: string, things: string, items: Schema): Schema {
  const properties = { [things]: { type: 'array', items }, nextCursor: NEXT_CURSOR }
  return toAnsweredObject(title, properties, ['nextCursor'])
}

/** Returns the query parameters `limit` and `cursor` of a paged list. */
export function toPageQuery(limit: {
  readonly max: number
  readonly otherwise: number
}): Properties {
  return {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limit.max,
      default: limit.otherwise,
      description: 'At most this many entries per page.',
      'x-rule': `must be a whole number from 1 to ${limit.max}`,
    },
    cursor: CURSOR,
  }
}

export const CURSOR: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: CURSOR_CHARS_MAX,
  pattern: '^[A-Za-z0-9_-]*$',
  description: '`nextCursor` of the previous page. Opaque.',
  'x-rule': writeCursorRule(),
}

export const NEXT_CURSOR: Schema = {
  type: 'string',
  description: 'Send it as ?cursor= for the next page; absent on the last one.',
}

export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const TEXT: Schema = { type: 'string' }
export const AT_MS: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'Milliseconds since 1970-01-01 UTC.',
}

export const IDENTIFIER: Schema = {
  type: 'string',
  pattern: IDENTIFIER_PATTERN,
  'x-rule': IDENTIFIER_RULE,
}

/** Two linear patterns are used, because a single one would try all ways to divide a long text. */
export const USERNAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: USERNAME_CHARS_MAX,
  pattern: '^\\P{Cc}*$',
  allOf: [{ pattern: '\\S' }],
  description: 'For people; private tools are called `{username}_{skillId}`.',
  'x-rule': USERNAME_RULE,
}

/** An e-mail address or a subject; unique in any case of letters. */
export const IDENTITY: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: IDENTITY_CHARS_MAX,
  pattern: '^\\P{Cc}*$',
  allOf: [{ pattern: '^\\S' }, { pattern: '\\S$' }],
  examples: ['ada@example.com'],
  description:
    'An outside name of one user, such as an e-mail address; case does not distinguish two.',
  'x-rule': IDENTITY_RULE,
}

export const UID: Schema = { ...IDENTIFIER, examples: ['ada'], description: 'User id.' }
export const OWNER: Schema = { ...UID, description: 'Owner; required for a private skill.' }

const CREDITS_LIMIT = CREDITS_MAX / MICRO_PER_CREDIT

/**
 * Matches an amount. The largest amount is a 1 followed by zeros, so the pattern accepts that
 * number or fewer digits.
 */
const DECIMAL_PATTERN = `(?:${CREDITS_LIMIT}|\\d{1,${String(CREDITS_LIMIT).length - 1}}(?:\\.\\d{1,6})?)`

const CREDIT_FORMS: readonly Schema[] = [
  { type: 'number', minimum: 0, maximum: CREDITS_LIMIT },
  { type: 'string', pattern: `^${DECIMAL_PATTERN}$` },
]

/** Credits as a number, or as decimal text for clients whose numbers are inexact. */
export const SENT_CREDITS: Schema = {
  anyOf: CREDIT_FORMS,
  examples: [2.5],
  description: 'Credits with at most 6 decimals; never rounded.',
  'x-rule': `must be a number of credits from 0 to ${CREDITS_LIMIT} with at most 6 decimals, such as 2.5`,
}
/** As SENT_CREDITS; below 0 for credits that are taken. */
export const SENT_CREDIT_CHANGE: Schema = {
  anyOf: [
    { type: 'number', minimum: -CREDITS_LIMIT, maximum: CREDITS_LIMIT },
    { type: 'string', pattern: `^-?${DECIMAL_PATTERN}$` },
  ],
  examples: [2.5, -2.5],
  'x-rule': `must be a number of credits from ${-CREDITS_LIMIT} to ${CREDITS_LIMIT} with at most 6 decimals, such as 2.5 or -2.5`,
}
/** A monthly budget in a request. */
export const SENT_BUDGET: Schema = {
  anyOf: [...CREDIT_FORMS, { type: 'null' }],
  examples: [100],
  description: 'Most credits of one month (UTC), with at most 6 decimals; null for no budget.',
  'x-rule': `must be a number of credits from 0 to ${CREDITS_LIMIT} with at most 6 decimals, such as 100, or null for no budget`,
}

/** A threshold in a request. */
export const SENT_LOW_BALANCE: Schema = {
  anyOf: [...CREDIT_FORMS, { type: 'null' }],
  examples: [5],
  description:
    'Credits at or below which the balance is low and an event is sent; null for the threshold of the stage.',
  'x-rule': `must be a number of credits from 0 to ${CREDITS_LIMIT} with at most 6 decimals, such as 5, or null for the threshold of the stage`,
}

export const BUDGET_SHOWN: Schema = {
  ...toAnsweredObject('Budget', {
    limit: { type: 'number', minimum: 0, description: 'Most credits of one month.' },
    spent: { type: 'number', minimum: 0, description: 'Spent and on hold in this month.' },
    renewsOn: { type: 'string', pattern: '^\\d{4}-\\d{2}-01$', description: 'A date, UTC.' },
  }),
  description: 'The monthly budget; absent without one.',
}

/** A balance or a change of one. */
export const SIGNED_CREDITS_SHOWN: Schema = { type: 'number', description: 'Credits.' }
export const CREDITS_SHOWN: Schema = { type: 'number', minimum: 0, description: 'Credits.' }

export const SOURCE: Schema = {
  type: 'string',
  enum: SKILL_SOURCES,
  description: 'Tier of a skill.',
  'x-rule': `must be one of ${SKILL_SOURCES.join(', ')}`,
}

export const GROUP_NAME: Schema = {
  type: 'string',
  pattern: GROUP_PATTERN,
  description: 'Name of a group.',
  'x-rule': GROUP_RULE,
}

const toGroupList = (maxItems: number, description: string): Schema => ({
  type: 'array',
  maxItems,
  items: { type: 'string', pattern: GROUP_PATTERN, 'x-rule': GROUP_RULE },
  description,
  'x-rule': writeGroupsRule(maxItems),
})
export const USER_GROUPS = toGroupList(
  USER_GROUPS_MAX,
  'The user sees skills of these groups, and those without groups.',
)
export const SKILL_GROUPS = toGroupList(
  SKILL_GROUPS_MAX,
  'Only users in one of these groups see and call it; empty or absent: everyone.',
)

/** The id of a skill in a request. Stored ids have no further rule in common. */
export const SKILL_ID: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: SKILL_ID_CHARS_MAX,
  pattern: '^[^\\s#/]*$',
  examples: ['sg_weather'],
  description: 'Id of a skill.',
  'x-rule': `must be 1 to ${SKILL_ID_CHARS_MAX} characters without white space, # and /`,
}
