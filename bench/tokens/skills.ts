/**
 * Creates the skills of bench:tokens: half with two parameters, half with the filters of a list.
 */
import { toDefinition } from '../registry/skills.ts'

/** The filters that list operations of OpenAPI documents usually have. */
const FILTERS = {
  since: {
    type: 'string',
    format: 'date-time',
    description: 'Answers only what changed at this time or later, as 2026-01-31T00:00:00Z.',
  },
  status: {
    type: 'string',
    enum: ['open', 'pending', 'closed', 'archived'],
    description: 'Answers only those in this state. Left out: all states.',
  },
  sort: { type: 'string', enum: ['created', 'updated', 'name'], default: 'created' },
  fields: {
    type: 'array',
    items: { type: 'string' },
    description: 'The fields of the answer, if not all of them are needed.',
  },
}

/** Returns the definition of a number, always the same one. */
export function toListedDefinition(index: number): object {
  const definition = toDefinition(index)
  if (index % 2 === 0) return definition
  const { meta } = definition
  const { parameters } = meta
  const properties = { ...parameters.properties, ...FILTERS }
  return { ...definition, meta: { ...meta, parameters: { ...parameters, properties } } }
}
