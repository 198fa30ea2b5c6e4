/** Schemas of the set routes: the request, and the plan in the response. */
import { SET_SKILLS_MAX } from '../../../core/flow/imports/read-set.ts'
import type { Properties, Schema } from '../route.ts'
import { CLEAR_SECRETS, COUNT, TEXT, toAnsweredObject } from './field-schemas.ts'
import { FIELD_CHANGE, NEW_TOOL } from './import-schemas.ts'
import { MARKDOWN_EXAMPLE, SENT_SKILL, SKILL_EXAMPLE } from './skill-schemas.ts'

const SET_CHARS_MAX = 32
export const SET_DEFAULT = 'main'

const toFlag = (description: string, otherwise: 'true' | 'false'): Schema => ({
  type: 'string',
  enum: ['true', 'false'],
  default: otherwise,
  description,
  'x-rule': 'must be true or false',
})

const SET_NAME: Schema = {
  type: 'string',
  pattern: `^[a-z][a-z0-9-]{0,${SET_CHARS_MAX - 1}}$`,
  default: SET_DEFAULT,
  examples: ['weather'],
  description: 'Names the set. Each repository that fills the gateway has one of its own.',
  'x-rule': `must be 1 to ${SET_CHARS_MAX} characters of a-z 0-9 -, a letter first`,
}

export const SET_QUERY: Properties = {
  set: SET_NAME,
  source: {
    type: 'string',
    enum: ['official', 'market'],
    default: 'official',
    description: 'Tier of all skills of the set.',
    'x-rule': 'must be official or market',
  },
  prune: toFlag('Deletes skills of the set that are not sent.', 'false'),
  edits: {
    type: 'string',
    enum: ['keep', 'overwrite'],
    default: 'keep',
    description: 'What becomes of fields that were edited by hand since the last apply.',
    'x-rule': 'must be keep or overwrite',
  },
  strict: toFlag(
    'Likely mistakes (misspelled fields, placeholders without a parameter) are faults.',
    'true',
  ),
  clear_secrets: CLEAR_SECRETS,
}

/** The query of a set's guides. */
export const GUIDE_SET_QUERY: Properties = {
  set: SET_NAME,
  prune: toFlag('Deletes guides of the set that are not sent.', 'false'),
}

const FILE: Schema = {
  title: 'SkillFile',
  type: 'object',
  required: ['path', 'text'],
  additionalProperties: false,
  properties: {
    path: { ...TEXT, description: 'Identifies the skill in answers.' },
    text: { ...TEXT, description: 'Markdown or JSON of one skill.' },
  },
}

export const SENT_SET: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: SET_SKILLS_MAX,
  items: { anyOf: [SENT_SKILL, FILE] },
}

export const SET_EXAMPLE = [SKILL_EXAMPLE]
export const SET_LINES_EXAMPLE = `${JSON.stringify(SKILL_EXAMPLE)}\n${JSON.stringify({
  path: 'skills/weather.md',
  text: MARKDOWN_EXAMPLE,
})}\n`

const toList = (items: Schema): Schema => ({ type: 'array', items })
const toSkillList = (title: string, more: Properties = {}) =>
  toList(
    toAnsweredObject(title, {
      skillId: TEXT,
      file: { ...TEXT, description: 'The path that was sent, else a JSON Pointer into the set.' },
      ...more,
    }),
  )

const PLAN_FIELDS: Properties = {
  changes: { ...COUNT, description: 'Skills that an apply adds, changes or removes.' },
  listBytes: { ...COUNT, description: 'UTF-8 bytes that the tools take in a tool list.' },
  added: toSkillList('SetAdded', NEW_TOOL),
  changed: toSkillList('SetChanged', { fields: toList(FIELD_CHANGE) }),
  removed: { ...toList(TEXT), description: 'Ids of skills that prune deletes.' },
  left: { ...toList(TEXT), description: 'Ids of skills that prune would delete.' },
  unchanged: COUNT,
  adopted: { ...toList(TEXT), description: 'Ids of skills that were in no set before.' },
  edited: toSkillList('SetEdited', {
    fields: {
      ...toList(TEXT),
      description: 'Fields that were edited by hand since the last apply.',
    },
    conflicts: { ...toList(TEXT), description: 'Fields that the set changed as well.' },
  }),
  breaking: toSkillList('SetBreaking', { reasons: toList(TEXT) }),
  warnings: toSkillList('SetWarning', { texts: toList(TEXT) }),
}

export const SET_PLAN = toAnsweredObject('SetPlan', PLAN_FIELDS)

export const APPLIED_SET = toAnsweredObject(
  'AppliedSet',
  {
    ...PLAN_FIELDS,
    tools: { ...COUNT, description: 'Tools in the new list; absent when it stayed.' },
  },
  ['tools'],
)

export const SET_PLAN_EXAMPLE = {
  changes: 1,
  listBytes: 314,
  added: [],
  changed: [
    {
      skillId: 'sg_weather',
      file: 'skills/weather.md',
      fields: [{ field: 'credits_per_call', from: '0.5', to: '1' }],
    },
  ],
  removed: [],
  left: [],
  unchanged: 0,
  adopted: [],
  edited: [],
  breaking: [],
  warnings: [],
}
