/**
 * The schema of a skill, as sync_skill accepts it and lists show it, for readers of the OpenAPI
 * document. Skills are checked by core/skills/definition/read-skill.ts, whose refusals say more. A
 * test checks that each stored definition fits this schema. The limits are those of that reader.
 */

import { QUALIFIER_CHARS_MAX } from '../../../core/skills/lambda-target.ts'
import {
  DESCRIPTION_CHARS_MAX,
  EMOJI_UNITS_MAX,
  ENDPOINT_CHARS_MAX,
  FAIL_CONDITIONS_MAX,
  FORGIVE_WITHIN_SEC_MAX,
  FORGIVE_WITHIN_SEC_MIN,
  HEADERS_MAX,
  HOOK_NAME_CHARS_MAX,
  HOOKS_MAX,
  JOB_SEC_MAX,
  NAME_CHARS_MAX,
  OK_STATUSES_MAX,
  PICK_CHARS_MAX,
  PRICE_CREDITS_MAX,
  PROPERTIES_MAX,
  QUERY_MAX,
  RESPONSE_BYTES_DEFAULT,
  RESPONSE_BYTES_MAX,
  RETRIES_MAX,
  TAG_CHARS_MAX,
  TAGS_MAX,
  TASK_SEC_MIN,
  TIMEOUT_MS_DEFAULT,
  TIMEOUT_MS_MAX,
  TYPICAL_MS_MAX,
} from '../../../core/skills/limits.ts'
import type { Schema } from '../route.ts'
import { SKILL_GROUPS, SKILL_ID, SOURCE } from './field-schemas.ts'
import { JOB_SCHEMA } from './job-schema.ts'

/** The reader treats null and '' in optional fields as absent. */
const toText = (maxLength: number): Schema => ({ type: ['string', 'null'], maxLength })
const toTexts = (maxProperties: number): Schema => ({
  type: ['object', 'null'],
  maxProperties,
  additionalProperties: { type: 'string' },
})
const toWholeNumber = (maximum: number, more: Schema = {}): Schema => ({
  type: 'integer',
  minimum: 1,
  maximum,
  ...more,
})

const PARAMETERS: Schema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'object' },
    properties: { type: 'object', maxProperties: PROPERTIES_MAX },
    required: { type: 'array', items: { type: 'string' } },
  },
  description: 'JSON Schema 2020-12 of the arguments; `$ref` only within it.',
}

const META: Schema = {
  title: 'SkillMeta',
  type: 'object',
  required: ['name', 'description'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: NAME_CHARS_MAX },
    description: {
      type: 'string',
      minLength: 1,
      maxLength: DESCRIPTION_CHARS_MAX,
      description: 'What the tool does and when to use it; the model decides by this text.',
    },
    emoji: toText(EMOJI_UNITS_MAX),
    tags: {
      type: ['array', 'null'],
      maxItems: TAGS_MAX,
      items: { type: 'string', minLength: 1, maxLength: TAG_CHARS_MAX },
    },
    parameters: PARAMETERS,
    output_schema: {
      type: ['object', 'null'],
      description: 'JSON Schema of structuredContent; each answer is checked against it.',
    },
    annotations: {
      type: ['object', 'null'],
      description: 'Hints of MCP in place of those that follow from the method.',
    },
    typical_ms: {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: TYPICAL_MS_MAX,
      description: 'Usual duration of a call; agents see it.',
    },
  },
}

const CONFIG: Schema = {
  title: 'SkillConfig',
  type: 'object',
  properties: {
    endpoint: {
      type: 'string',
      minLength: 1,
      maxLength: ENDPOINT_CHARS_MAX,
      description:
        'URL of the API; `{name}` is replaced by the argument of that name. Required without `lambda`.',
    },
    lambda: {
      type: ['object', 'null'],
      required: ['function'],
      properties: {
        function: { type: 'string', description: 'Name or ARN of a Lambda function.' },
        qualifier: { type: ['string', 'null'], maxLength: QUALIFIER_CHARS_MAX },
        payload: { type: ['object', 'array', 'null'], description: 'The event, a template.' },
        proxy: { type: ['boolean', 'null'] },
      },
      description: 'Invokes a function in place of a request over HTTP.',
    },
    method: { type: 'string', enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    headers: toTexts(HEADERS_MAX),
    query: { type: ['object', 'null'], maxProperties: QUERY_MAX },
    body: { description: 'Any JSON; its strings are templates.' },
    auth: {
      type: ['object', 'null'],
      properties: { type: { enum: ['bearer', 'basic', 'header', 'query'] } },
    },
    retries: { type: 'integer', minimum: 0, maximum: RETRIES_MAX },
    timeout_ms: toWholeNumber(TIMEOUT_MS_MAX, { default: TIMEOUT_MS_DEFAULT }),
    repeat: {
      type: ['object', 'null'],
      required: ['forgive_within_sec'],
      properties: {
        forgive_within_sec: {
          type: 'integer',
          minimum: FORGIVE_WITHIN_SEC_MIN,
          maximum: FORGIVE_WITHIN_SEC_MAX,
        },
      },
      description: 'When the second of two equal calls is free.',
    },
    task: {
      type: ['object', 'null'],
      required: ['max_sec'],
      properties: {
        max_sec: { type: 'integer', minimum: TASK_SEC_MIN, maximum: JOB_SEC_MAX },
        required: { type: 'boolean', default: false },
        job: JOB_SCHEMA,
      },
      description: 'For how long a call may go on as a task, for clients that know tasks.',
    },
    response: {
      type: ['object', 'null'],
      properties: {
        as: { enum: ['auto', 'json', 'text', 'mcp'] },
        keep: { enum: ['large', 'always'] },
        pick: toText(PICK_CHARS_MAX),
        fail_if: {
          type: ['object', 'array', 'null'],
          maxItems: FAIL_CONDITIONS_MAX,
          description:
            '`{"pointer", "equals"}` or `{"contains"}`, or a list: answers that fail the call.',
        },
        ok_statuses: {
          type: ['array', 'null'],
          maxItems: OK_STATUSES_MAX,
          items: { type: 'integer', minimum: 400, maximum: 499 },
          description: 'Statuses that are answers, and charged.',
        },
        show_headers: {
          type: ['array', 'null'],
          items: { type: 'string' },
          description: 'Response headers that the model sees.',
        },
      },
    },
    max_response_bytes: toWholeNumber(RESPONSE_BYTES_MAX, { default: RESPONSE_BYTES_DEFAULT }),
    plugin_hook: toText(HOOK_NAME_CHARS_MAX),
    plugin_options: { type: 'object' },
    plugin_hooks: {
      type: ['array', 'null'],
      maxItems: HOOKS_MAX,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: HOOK_NAME_CHARS_MAX },
          options: { type: ['object', 'null'] },
        },
      },
      description: 'Several hooks in their order, instead of plugin_hook.',
    },
  },
}

const SKILL_FIELDS: Schema = {
  id: SKILL_ID,
  source: SOURCE,
  skill_uid: { type: ['string', 'null'], description: 'A UUID that you choose.' },
  groups: SKILL_GROUPS,
  meta: META,
  config: CONFIG,
  credits_per_call: {
    type: 'number',
    minimum: 0,
    maximum: PRICE_CREDITS_MAX,
    description: 'Price in credits of a successful call, with at most 6 decimals; 0 is free.',
  },
}

/** A skill in a request. Unknown fields are kept and reported in a warning. */
export const SENT_SKILL: Schema = {
  title: 'NewSkill',
  type: 'object',
  required: ['id', 'meta', 'config', 'credits_per_call'],
  properties: SKILL_FIELDS,
  description: 'Unified JSON. `source` may stand in the query instead.',
}

export const STORED_SKILL: Schema = {
  title: 'Skill',
  type: 'object',
  required: ['id', 'source', 'meta', 'config', 'credits_per_call'],
  properties: SKILL_FIELDS,
  description: 'The skill as sent, with prefix, tier, method and price filled in.',
}

export const SKILL_EXAMPLE = {
  id: 'sg_weather',
  source: 'official',
  meta: {
    name: 'Weather',
    description: 'Tells the weather of a city now.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city.' } },
      required: ['city'],
    },
  },
  config: { endpoint: 'https://weather.example/now', method: 'GET' },
  credits_per_call: 0.5,
}

export const MARKDOWN_EXAMPLE = `# Weather

Tells the weather of a city now.

\`\`\`yaml
id: sg_weather
endpoint: https://weather.example/now
method: GET
credits_per_call: 0.5
\`\`\`

\`\`\`json
{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
\`\`\`
`
