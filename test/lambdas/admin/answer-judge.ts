/** Whether an answer is one that the OpenAPI document tells of: its status, its form, nothing besides. */
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import type { AdminReply } from './admin-client.ts'
import { aloneIn, followed, objectAt, operationsOf } from './openapi-document.ts'

export type AnswerJudge = (method: string, path: string, answered: AdminReply) => readonly string[]

export function answerJudge(document: JsonObject): AnswerJudge {
  const judge = makeSchemasWithPatterns()
  const documented = new Map(
    operationsOf(document).map(({ method, operation, path }) => [
      `${method} ${path}`,
      objectAt(operation, 'responses'),
    ]),
  )
  const alone = new Map<JsonObject, JsonObject>()
  const closedSchema = (schema: JsonObject) => {
    const known = alone.get(schema) ?? closed(aloneIn(document, schema))
    alone.set(schema, known)
    return known
  }
  return (method, path, { headers, status, text }) => {
    if (status >= 500) return [`is ${status}: ${text}`]
    const response = documented.get(`${method} ${path}`)?.[String(status)]
    if (!isJsonObject(response)) return [`the document has no ${status} there: ${text}`]
    const media = Object.entries(objectAt(followed(document, response), 'content'))
    const sent = headers['content-type']?.split(';')[0]
    const [type, shown] = media.find(([one]) => one === sent) ?? media[0] ?? []
    if (type !== sent) return [`is ${sent} where the document says ${type}`]
    if (!isJsonObject(shown)) return text === '' ? [] : ['has a body where there should be none']
    const faults = judge.faults(closedSchema(objectAt(shown, 'schema')), answerIn(type, text))
    return faults.map(
      ({ message, pointer }) => `does not fit at ${pointer || 'the root'}: ${message}`,
    )
  }
}

/** An answer in another form than JSON is one text. */
function answerIn(type: string | undefined, text: string): Json {
  return /\/(?:problem\+)?json$/.test(type ?? '') ? JSON.parse(text) : text
}

/** Schemas that are whatever they are sent: a skill keeps unknown fields, this document is shown as one. */
const OPEN = new Set(['NewSkill', 'Skill', 'SkillMeta', 'SkillConfig'])

/** The same schema without room for fields that it does not name. */
function closed(schema: JsonObject): JsonObject {
  const defs = Object.entries(objectAt(schema, '$defs')).map(([name, inner]) => [
    name,
    OPEN.has(name) || !isJsonObject(inner) ? inner : closedOne(inner),
  ])
  return { ...schema, $defs: Object.fromEntries(defs) }
}

function closedOne(schema: JsonObject): JsonObject {
  return schema['properties'] === undefined ? schema : { ...schema, additionalProperties: false }
}
