/**
 * Schemas of the scope of an API key. Bound by docs/users.md, Give a key less than its user has.
 */
import { KEY_GLOB_PATTERN } from '../../../core/access/key-scope.ts'
import { KEY_GLOBS_MAX } from '../../../core/access/limits.ts'
import { CALLS_PER_DAY_RULE } from '../../../core/flow/users/key-day-view.ts'
import { GLOB_RULE, GLOBS_RULE } from '../../../core/flow/users/read-key-change.ts'
import { CREDITS_MAX, MICRO_PER_CREDIT } from '../../../core/ledger/amount.ts'
import { CALLS_PER_DAY_MAX } from '../../../core/ledger/limits.ts'
import type { Properties, Schema } from '../route.ts'
import { CREDITS_SHOWN, SENT_BUDGET, TEXT, toAnsweredObject } from './field-schemas.ts'

const CREDITS = CREDITS_MAX / MICRO_PER_CREDIT

const SENT_TOOLS: Schema = {
  anyOf: [
    {
      type: 'array',
      maxItems: KEY_GLOBS_MAX,
      // A component, so that the schemas that have it share its pattern.
      items: {
        title: 'ToolGlob',
        type: 'string',
        pattern: KEY_GLOB_PATTERN,
        'x-rule': GLOB_RULE,
      },
    },
    { type: 'null' },
  ],
  examples: [['sg_*']],
  description:
    'Globs over the names of listed tools; only * is special. The key neither lists nor calls other tools. [] allows none, null every tool. Built-in tools always work.',
  'x-rule': GLOBS_RULE,
}

/** The limits of a key in a request. */
export const SENT_SCOPE: Properties = {
  tools: SENT_TOOLS,
  maxCreditsPerCall: {
    anyOf: [{ type: 'number', minimum: 0, maximum: CREDITS }, { type: 'null' }],
    examples: [2.5],
    'x-rule': `must be a number of credits from 0 to ${CREDITS} with at most 6 decimals, such as 2.5, or null for no limit`,
    description:
      'The key neither lists nor calls tools that cost more a call; null for no limit of its own.',
  },
  monthlyBudget: SENT_BUDGET,
  callsPerDay: {
    anyOf: [{ type: 'integer', minimum: 1, maximum: CALLS_PER_DAY_MAX }, { type: 'null' }],
    examples: [100],
    'x-rule': CALLS_PER_DAY_RULE,
    description:
      'Calls that the key may make in a day (UTC), failed ones included; null for no limit.',
  },
  mayIssueKeys: {
    type: 'boolean',
    examples: [true],
    description:
      'The key may issue sub-keys, which do no more than it and spend from its limits, with the built-in tool issue_key. false: no further ones; revoke those that exist.',
  },
}

/** The limit of calls per day of a key in an answer. */
export const KEY_DAY_SHOWN: Schema = {
  ...toAnsweredObject('CallsPerDay', {
    limit: { type: 'integer', minimum: 1, description: 'Most calls of one day.' },
    made: { type: 'integer', minimum: 0, description: 'Made in this day, failed ones included.' },
    renewsOn: { ...TEXT, description: 'A date, UTC.' },
  }),
  description: 'Calls per day; absent without a limit.',
}

/** The scope of a key in an answer; each member is absent without that limit. */
export const SCOPE_SHOWN: Properties = {
  tools: {
    type: 'array',
    items: { type: 'string' },
    description: 'Globs over the names of the tools that the key may call; absent: every tool.',
  },
  maxCreditsPerCall: { ...CREDITS_SHOWN, description: 'Most credits of one call; absent: any.' },
  mayIssueKeys: { type: 'boolean', description: 'The key may issue sub-keys; absent: it may not.' },
  parentKeyId: {
    ...TEXT,
    description: 'The key that issued this sub-key; absent for a key of an administrator.',
  },
}
