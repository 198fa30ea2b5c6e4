/** Schemas of the scope of an API key. Bound by docs/users.md, Give a key less than its user has. */
import { KEY_GLOB_PATTERN } from '../../../core/access/key-scope.ts'
import { KEY_GLOBS_MAX } from '../../../core/access/limits.ts'
import { GLOB_RULE, GLOBS_RULE } from '../../../core/flow/users/read-key-change.ts'
import { CREDITS_MAX, MICRO_PER_CREDIT } from '../../../core/ledger/amount.ts'
import type { Properties, Schema } from '../route.ts'
import { CREDITS_SHOWN, SENT_BUDGET } from './field-schemas.ts'

const CREDITS = CREDITS_MAX / MICRO_PER_CREDIT

const SENT_TOOLS: Schema = {
  anyOf: [
    {
      type: 'array',
      maxItems: KEY_GLOBS_MAX,
      items: { type: 'string', pattern: KEY_GLOB_PATTERN, 'x-rule': GLOB_RULE },
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
}

/** The scope of a key in an answer; each member is absent without that limit. */
export const SCOPE_SHOWN: Properties = {
  tools: {
    type: 'array',
    items: { type: 'string' },
    description: 'Globs over the names of the tools that the key may call; absent: every tool.',
  },
  maxCreditsPerCall: { ...CREDITS_SHOWN, description: 'Most credits of one call; absent: any.' },
}
