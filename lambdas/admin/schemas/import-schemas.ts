/** Schemas of the import routes: the request, and the plan in the response. */
import { LEFT_OUT_REMEDIES } from '../../../core/openapi/left-out.ts'
import { PREFIX_CHARS_MAX, SELECTED_MAX } from '../../../core/openapi/limits.ts'
import { PRICE_CREDITS_MAX, TIMEOUT_MS_MAX } from '../../../core/skills/limits.ts'
import type { Properties, Schema } from '../route.ts'
import { COUNT, TEXT, toAnsweredObject, toSentObject } from './field-schemas.ts'

/** Most texts of one rule, most rules of a selection, and most characters of a text. */
const RULE_TEXTS_MAX = 500
const RULES_MAX = 50
const TEXT_CHARS_MAX = 500

const toTexts = (description: string): Schema => ({
  type: 'array',
  minItems: 1,
  maxItems: RULE_TEXTS_MAX,
  items: { type: 'string', minLength: 1, maxLength: TEXT_CHARS_MAX },
  description,
})

const RULES: Schema = {
  type: 'array',
  maxItems: RULES_MAX,
  items: {
    title: 'ImportRule',
    type: 'object',
    additionalProperties: false,
    properties: {
      tags: toTexts('Tags, as the document spells them.'),
      paths: toTexts('Paths; `*` is any text without `/`, `**` any text.'),
      methods: toTexts('GET, POST and so on.'),
      operationIds: toTexts('Ids of operations, or `GET /pets`, with the same stars.'),
    },
    description: 'Matches an operation that fits every list it has.',
  },
}

const SELECTION: Schema = {
  title: 'ImportSelection',
  type: 'object',
  additionalProperties: false,
  properties: {
    include: {
      ...RULES,
      description: 'Operations that any of these rules matches; without it, all.',
    },
    exclude: { ...RULES, description: 'Operations that are left out all the same.' },
    all: { type: 'boolean', description: `More than ${SELECTED_MAX} operations are meant.` },
    deprecated: { type: 'boolean', description: 'Deprecated operations as well.' },
  },
  'x-rule': 'must have include and exclude (lists of rules), all and deprecated (true or false)',
}

const DOCUMENT: Schema = { type: ['object', 'string'] }

const ASKED_FIELDS: Properties = {
  document: {
    ...DOCUMENT,
    description: 'Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2: JSON, or a text of JSON or YAML.',
    'x-rule': 'must be an OpenAPI document, as JSON or as a text',
  },
  overlay: {
    ...DOCUMENT,
    description: 'An Overlay document (1.0), applied to the document as it is sent.',
    'x-rule': 'must be an Overlay document, as JSON or as a text',
  },
  prefix: {
    type: 'string',
    pattern: `^[a-z][a-z0-9]{0,${PREFIX_CHARS_MAX - 1}}$`,
    examples: ['petstore'],
    description: 'Names the import: its tools are called `sg_{prefix}_…`.',
    'x-rule': `must be 1 to ${PREFIX_CHARS_MAX} characters of a-z 0-9, a letter first`,
  },
  source: {
    type: 'string',
    enum: ['official', 'market'],
    default: 'official',
    'x-rule': 'must be official or market',
  },
  selection: SELECTION,
  defaults: {
    title: 'ImportDefaults',
    type: 'object',
    additionalProperties: false,
    properties: {
      credits: { type: 'number', minimum: 0, maximum: PRICE_CREDITS_MAX },
      timeoutMs: { type: 'integer', minimum: 1, maximum: TIMEOUT_MS_MAX },
    },
    description: 'For operations of which `x-skillgate` says nothing.',
    'x-rule': `must have credits (0 to ${PRICE_CREDITS_MAX}) and timeoutMs (1 to ${TIMEOUT_MS_MAX})`,
  },
  baseUrl: {
    type: 'string',
    pattern: '^https?://[A-Za-z0-9._~:/@%-]+$',
    maxLength: TEXT_CHARS_MAX,
    description:
      'Chooses a server of the document, is where a relative one begins, or takes the place of all.',
    'x-rule': 'must be an absolute http(s) URL',
  },
  serverVariables: {
    type: 'object',
    maxProperties: RULES_MAX,
    additionalProperties: { type: 'string', pattern: '^[^\\s{}?#]*$', maxLength: TEXT_CHARS_MAX },
    'x-rule': 'must be texts by name, such as {"region": "eu"}',
  },
  names: {
    type: 'object',
    maxProperties: RULE_TEXTS_MAX,
    additionalProperties: { type: 'string', minLength: 1, maxLength: TEXT_CHARS_MAX },
    description:
      'Names of tools without `sg_{prefix}_`, by operation id or by method and path. Later imports keep them.',
    'x-rule': 'must be names by operation, such as {"GET /pets": "list_pets"}',
  },
  outputSchemas: { type: 'boolean', default: true, 'x-rule': 'must be true or false' },
  deleteDisabled: {
    type: 'boolean',
    default: false,
    description: 'Deletes skills that an earlier import disabled.',
    'x-rule': 'must be true or false',
  },
}

export const IMPORT_ASKED = toSentObject('ImportAsked', ASKED_FIELDS, ['document', 'prefix'])

export const APPLY_ASKED = toSentObject(
  'ImportApplyAsked',
  {
    ...ASKED_FIELDS,
    allowBreaking: {
      type: 'boolean',
      default: false,
      description: 'Applies changes that break tools which agents use.',
      'x-rule': 'must be true or false',
    },
  },
  ['document', 'prefix'],
)

const toList = (items: Schema): Schema => ({ type: 'array', items })
const toSkillList = (title: string, more: Properties = {}) =>
  toList(toAnsweredObject(title, { skillId: TEXT, operation: TEXT, ...more }))

export const FIELD_CHANGE = toAnsweredObject(
  'ImportFieldChange',
  {
    field: { ...TEXT, examples: ['meta/description'] },
    from: { ...TEXT, description: 'JSON, shortened; absent for a new field.' },
    to: { ...TEXT, description: 'JSON, shortened; absent for a field that is gone.' },
  },
  ['from', 'to'],
)

/** Fields of a tool that a plan adds. */
export const NEW_TOOL: Properties = {
  name: TEXT,
  description: { ...TEXT, description: 'The first line.' },
  host: { ...TEXT, description: 'Where its calls go.' },
  credits: { type: 'number', description: 'Price of a call.' },
}

const LEFT_OUT_CODES = Object.keys(LEFT_OUT_REMEDIES)

const PLAN_PARTS: Properties = {
  drift: { type: 'boolean', description: 'Whether an apply would change anything.' },
  operations: { ...COUNT, description: 'Of the document.' },
  notSelected: COUNT,
  listBytes: { ...COUNT, description: 'UTF-8 bytes that the tools add to a tool list.' },
  listTokens: { ...COUNT, description: 'The same in tokens, about 4 bytes each.' },
  listed: toSkillList('ImportListed', {
    named: {
      type: 'string',
      enum: ['chosen', 'document', 'path', 'cut', 'taken'],
      description:
        'Who named the tool: `names`, the document, or the import, of method and path or with a hash.',
    },
    tokens: { ...COUNT, description: 'Of the tool in a list.' },
    credits: { type: 'number', description: 'Price of a call.' },
    signature: { ...TEXT, description: 'The name with its arguments.' },
    says: { ...TEXT, description: 'The first sentence of its description.' },
  }),
  added: toSkillList('ImportAdded', { ...NEW_TOOL, notes: toList(TEXT) }),
  changed: toSkillList('ImportChanged', { fields: toList(FIELD_CHANGE), notes: toList(TEXT) }),
  removed: toSkillList('ImportRemoved', {
    to: { type: 'string', enum: ['disabled', 'deleted'] },
    cause: {
      type: 'string',
      enum: ['gone', 'not_selected', 'not_imported'],
      description:
        'Whether the document lost the operation, the selection leaves it out, or it cannot be imported any more.',
    },
  }),
  unchanged: COUNT,
  imported: { ...COUNT, description: 'Operations that are tools after an apply.' },
  edited: toSkillList('ImportEdited', {
    fields: { ...toList(TEXT), description: 'Fields that were edited by hand, and kept.' },
    conflicts: { ...toList(TEXT), description: 'Fields that the document changed as well.' },
  }),
  breaking: toSkillList('ImportBreaking', { reasons: toList(TEXT) }),
  notImported: toList(
    toAnsweredObject(
      'ImportLeftOut',
      {
        operation: TEXT,
        code: { type: 'string', enum: LEFT_OUT_CODES },
        reason: TEXT,
        remedy: { ...TEXT, description: 'What to send so that it is imported.' },
      },
      ['remedy'],
    ),
  ),
  secrets: toList(toAnsweredObject('ImportSecret', { name: TEXT, what: TEXT })),
}

export const PLAN = toAnsweredObject('ImportPlan', PLAN_PARTS)

export const APPLIED = toAnsweredObject(
  'AppliedImport',
  {
    ...PLAN_PARTS,
    tools: { ...COUNT, description: 'Tools in the new list; absent when it stayed.' },
  },
  ['tools'],
)

export const ASKED_EXAMPLE = {
  prefix: 'petstore',
  defaults: { credits: 0.5 },
  document: {
    openapi: '3.1.0',
    info: { title: 'Petstore', version: '1' },
    servers: [{ url: 'https://petstore.example/v1' }],
    paths: {
      '/pets/{petId}': {
        get: {
          operationId: 'showPet',
          summary: 'Show a pet',
          parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The pet.' } },
        },
      },
    },
  },
}

export const PLAN_EXAMPLE = {
  drift: true,
  operations: 1,
  notSelected: 0,
  listBytes: 314,
  listTokens: 79,
  listed: [
    {
      skillId: 'sg_petstore_showPet',
      operation: 'GET /pets/{petId}',
      named: 'document',
      tokens: 79,
      credits: 0.5,
      signature: 'sg_petstore_showPet(petId: string)',
      says: 'Show a pet',
    },
  ],
  added: [
    {
      skillId: 'sg_petstore_showPet',
      operation: 'GET /pets/{petId}',
      name: 'Show a pet',
      description: 'Show a pet',
      host: 'petstore.example',
      credits: 0.5,
      notes: [],
    },
  ],
  changed: [],
  removed: [],
  unchanged: 0,
  imported: 1,
  edited: [],
  breaking: [],
  notImported: [],
  secrets: [],
}
