/** What PATCH skills/{source}/{skillId} is asked. */

import { PRICE_RULE } from '../../../core/skills/definition/read-price.ts'
import { SKILL_STATES } from '../../../core/skills/definition/read-state.ts'
import { PRICE_CREDITS_MAX, STATE_REASON_CHARS_MAX } from '../../../core/skills/limits.ts'
import type { Schema } from '../route.ts'
import { COUNT, SKILL_GROUPS, sentObject } from './field-schemas.ts'

const STATE: Schema = {
  type: 'string',
  enum: SKILL_STATES,
  'x-rule': `must be one of ${SKILL_STATES.join(', ')}`,
}
const REASON: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: STATE_REASON_CHARS_MAX,
  pattern: '^[^\\p{Cc}]*$',
  allOf: [{ pattern: '\\S' }],
  description: 'Why it is disabled; agents read it. Goes with a state.',
  'x-rule': `must be 1 to ${STATE_REASON_CHARS_MAX} printable characters`,
}
const CREDITS: Schema = {
  type: 'number',
  minimum: 0,
  maximum: PRICE_CREDITS_MAX,
  description: `The price of a call: ${PRICE_RULE}.`,
  'x-rule': `must be ${PRICE_RULE}`,
}
const EXPECTED: Schema = {
  ...COUNT,
  minimum: 1,
  description: 'The version that you saw; the change is refused if the skill has another one.',
  'x-rule': 'must be the number of a version, such as 3',
}

export const SKILL_CHANGE: Schema = {
  ...sentObject(
    'SkillChangeAsked',
    {
      state: STATE,
      reason: REASON,
      credits: CREDITS,
      groups: SKILL_GROUPS,
      expectedVersion: EXPECTED,
    },
    [],
  ),
  anyOf: [
    { required: ['state'] },
    { required: ['credits'], not: { required: ['reason'] } },
    { required: ['groups'], not: { required: ['reason'] } },
  ],
  'x-rule': 'must have state, credits or groups; reason goes with a state',
}
