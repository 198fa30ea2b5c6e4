/**
 * The schema of `config.task.job`, for readers of the OpenAPI document. Bound by docs/skills.md,
 * Jobs.
 */
import {
  ENDPOINT_CHARS_MAX,
  JOB_POLL_SEC_DEFAULT,
  JOB_POLL_SEC_MAX,
  JOB_POLL_SEC_MIN,
  JOB_VALUES_MAX,
  JOB_WORDS_MAX,
  PICK_CHARS_MAX,
} from '../../../core/skills/limits.ts'
import type { Schema } from '../route.ts'

const ADDRESS: Schema = { type: 'string', minLength: 1, maxLength: ENDPOINT_CHARS_MAX }
const POINTER: Schema = { type: 'string', maxLength: PICK_CHARS_MAX }
const SHOWN: Schema = { type: ['string', 'null'], maxLength: PICK_CHARS_MAX }
const WORD: readonly string[] = ['string', 'number', 'boolean']
const WORDS: Schema = {
  type: ['array', ...WORD],
  minItems: 1,
  maxItems: JOB_WORDS_MAX,
  items: { type: [...WORD] },
}

export const JOB_SCHEMA: Schema = {
  type: ['object', 'null'],
  required: ['values', 'status'],
  properties: {
    values: {
      type: 'object',
      minProperties: 1,
      maxProperties: JOB_VALUES_MAX,
      additionalProperties: POINTER,
    },
    status: {
      type: 'object',
      required: ['endpoint', 'pointer', 'done'],
      properties: {
        endpoint: ADDRESS,
        pointer: POINTER,
        done: WORDS,
        failed: WORDS,
        message: SHOWN,
        progress: SHOWN,
      },
    },
    result: {
      type: ['object', 'null'],
      required: ['endpoint'],
      properties: { endpoint: ADDRESS },
    },
    cancel: {
      type: ['object', 'null'],
      required: ['endpoint'],
      properties: {
        method: { enum: ['POST', 'PUT', 'PATCH', 'DELETE'], default: 'POST' },
        endpoint: ADDRESS,
      },
    },
    poll_sec: {
      type: ['integer', 'null'],
      minimum: JOB_POLL_SEC_MIN,
      maximum: JOB_POLL_SEC_MAX,
      default: JOB_POLL_SEC_DEFAULT,
    },
  },
  description: 'How the upstream is asked about work that the request only starts.',
}
