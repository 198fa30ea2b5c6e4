/** Schemas of the route that makes skills of Lambda functions. */
import { FUNCTIONS_MAX } from '../../../core/json/function-name.ts'
import { QUALIFIER_CHARS_MAX } from '../../../core/skills/lambda-target.ts'
import { PRICE_CREDITS_MAX } from '../../../core/skills/limits.ts'
import type { Schema } from '../route.ts'
import { COUNT, TEXT, toAnsweredObject, toSentObject } from './field-schemas.ts'

/** Characters of a tag's key and value; AWS's own limits. */
const TAG_KEY_CHARS_MAX = 128
const TAG_VALUE_CHARS_MAX = 256

export const FUNCTIONS_ASKED: Schema = toSentObject(
  'FunctionsAsked',
  {
    tag: {
      type: 'object',
      required: ['key'],
      additionalProperties: false,
      properties: {
        key: { type: 'string', minLength: 1, maxLength: TAG_KEY_CHARS_MAX },
        value: { type: 'string', maxLength: TAG_VALUE_CHARS_MAX },
      },
      description: `The tag that functions carry, at most ${FUNCTIONS_MAX}; without a value, with any.`,
    },
    credits: {
      type: 'number',
      minimum: 0,
      maximum: PRICE_CREDITS_MAX,
      description: 'Price of a call of each.',
    },
    qualifier: {
      type: 'string',
      pattern: `^(?:\\$LATEST|[A-Za-z0-9_-]{1,${QUALIFIER_CHARS_MAX}})$`,
      description: 'Version or alias that calls invoke.',
    },
  },
  ['tag', 'credits'],
)

const NOTES: Schema = {
  type: 'array',
  items: toAnsweredObject('FunctionNote', { function: TEXT, text: TEXT }),
}

export const FUNCTIONS_PLAN: Schema = toAnsweredObject('FunctionsPlan', {
  functions: COUNT,
  skills: { type: 'array', items: { type: 'object' }, description: 'Bodies of a set of skills.' },
  left: { ...NOTES, description: 'Functions of which no skill was made.' },
  notes: NOTES,
})

const ARN = 'arn:aws:lambda:eu-central-1:111122223333:function:orders'

export const FUNCTIONS_ASKED_EXAMPLE = {
  tag: { key: 'team', value: 'shop' },
  credits: 0.5,
  qualifier: 'live',
}

export const FUNCTIONS_PLAN_EXAMPLE = {
  functions: 1,
  skills: [
    {
      id: 'sg_orders',
      meta: {
        name: 'orders',
        description: 'Shows an order.',
        parameters: {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
      config: { lambda: { function: ARN, qualifier: 'live' } },
      credits_per_call: 0.5,
    },
  ],
  left: [],
  notes: [],
}
