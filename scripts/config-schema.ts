/**
 * Writes skillgate.config.schema.json from the table of settings, for editors that complete and
 * check skillgate.config.json. The reader of the file (core/settings/stage-records.ts) knows more:
 * forms of texts, and rules between fields.
 */
import { join } from 'node:path'
import { describeRule } from '../core/settings/read-setting.ts'
import type { Setting, Settings } from '../core/settings/setting.ts'
import { BUILT_IN_STAGES } from '../core/settings/stage-records.ts'
import { SETTINGS, STAGE_SETTINGS } from '../core/settings/table.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '../skillgate.config.schema.json')

const FIELDS: Settings = { ...SETTINGS, ...STAGE_SETTINGS }
const STAGE = { $ref: '#/definitions/stage' }

/** Returns the text of the file. */
export function formatConfigSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Stages of Skillgate',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      stages: {
        description: 'Stages by name. dev and prod are built in, and need no entry.',
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z0-9-]{0,15}$' },
        properties: Object.fromEntries(
          BUILT_IN_STAGES.map((name) => [
            name,
            { allOf: [STAGE, { not: { required: ['like'] } }] },
          ]),
        ),
        additionalProperties: { allOf: [STAGE, { required: ['like'] }] },
      },
    },
    additionalProperties: false,
    definitions: { stage: toStageSchema() },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function toStageSchema(): object {
  const fields = Object.entries(FIELDS).map(([name, row]) => [name, toFieldSchema(row)])
  return {
    type: 'object',
    properties: {
      like: {
        description: 'The stage whose fields this one has: dev, prod, or another one of this file.',
        type: 'string',
      },
      ...Object.fromEntries(fields),
    },
    additionalProperties: false,
  }
}

function toFieldSchema(row: Setting): object {
  const description = `${row.says} (${describeRule(row, 'stage')})`
  const schema = toValueSchema(row)
  if (row.default !== undefined) return { description, default: row.default, ...schema }
  return { description, anyOf: [schema, { type: 'null' }] }
}

function toValueSchema(row: Setting): object {
  switch (row.kind) {
    case 'switch':
      return { type: 'boolean' }
    case 'whole':
      return { type: 'integer', minimum: row.min, maximum: row.max }
    case 'credits':
      return { type: 'number', minimum: 0, maximum: row.max }
    case 'choice':
      return { enum: row.choices }
    case 'text':
    case 'secret':
      return { type: 'string' }
    case 'list':
    case 'tiers':
      return { type: 'array', items: { type: 'string' }, maxItems: row.entriesMax }
    case 'issuers':
      return { type: 'array', items: { type: 'object' } }
    case 'counts':
      return toCountsSchema(row)
    default:
      return row satisfies never
  }
}

function toCountsSchema(row: Extract<Setting, { readonly kind: 'counts' }>): object {
  const { max, min, names = [], namesAllowed = names } = row
  const count = { type: 'integer', minimum: min, maximum: max }
  return {
    type: 'object',
    properties: Object.fromEntries(namesAllowed.map((name) => [name, count])),
    required: names,
    additionalProperties: false,
  }
}
