/**
 * Makes an output schema of an operation's successful JSON answer. A schema that is large,
 * recursive or not an object is left out: clients compile each schema when they list tools, and an
 * answer that does not fit the schema fails the call.
 */
import { mendedSchema, unknownFormats } from '../json/client-schemas.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import { countOf, objectOf } from './fields.ts'
import { OUTPUT_BYTES_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { resolved } from './references.ts'
import { chosen, leftOut, listed, type Remarks } from './remarks.ts'
import { schemaClosure } from './schema-closure.ts'
import { lossNotes } from './schema-losses.ts'
import { STEPS_PER_SHARED, spendOn, spentText } from './work-budget.ts'

/** Types that a tool result can contain: JSON, text, XML as text, images and audio. */
const RESULT_TYPES =
  /json|^text\/(?!event-stream)|xml|^image\/|^audio\/|\*\/\*|javascript|yaml|x-www-form/i
const LEVELS_MAX = 12
const SCHEMA = 'The schema of its answer'

/** Returns the schema; undefined without one, with a note or a reason if a schema is left out. */
export function outputSchemaOf(
  document: JsonObject,
  operation: Operation,
  remarks: Remarks,
): JsonObject | undefined {
  const successes = listSuccesses(document, operation)
  const first = successes.find(({ content }) => Object.keys(content).length > 0)
  const content = first?.content ?? {}
  const types = Object.keys(content)
  if (types.length > 0 && !types.some((type) => RESULT_TYPES.test(type))) {
    remarks.reasons.push(`It answers ${types.join(', ')}, which a tool result cannot carry.`)
    return undefined
  }
  noteLost(successes, remarks)
  const json = Object.entries(content).find(([type]) => /json/i.test(type))
  const media = resolved(document, json?.[1])
  if (media?.['itemSchema'] !== undefined) {
    remarks.reasons.push('It answers a stream of items, which a tool result cannot carry.')
    return undefined
  }
  const others = types.filter((type) => type !== json?.[0])
  if (json !== undefined && others.length > 0) {
    remarks.notes.push(chosen('types of answers', json[0], others))
  }
  if (media?.['schema'] === undefined) return undefined
  const unlike = successes.filter((one) => !hasSameSchema(document, one, media['schema']))
  if (unlike.length > 0) {
    const statuses = listed(unlike.map(({ status }) => status))
    remarks.notes.push(leftOut(SCHEMA, `the answers of ${statuses} have another one`))
    return undefined
  }
  return writeSmallSchema(document, media['schema'], remarks)
}

function noteLost(successes: readonly Success[], { notes }: Remarks): void {
  const headers = successes.flatMap((one) => one.headers)
  const links = successes.flatMap((one) => one.links)
  if (headers.length > 0) {
    notes.push(leftOut(`Headers of its answer (${listed(headers)})`, 'a tool shows the body'))
  }
  if (links.length > 0) {
    notes.push(leftOut(`Links of its answer (${listed(links)})`, 'a tool is one operation'))
  }
}

type Success = {
  readonly status: string
  readonly content: JsonObject
  readonly headers: readonly string[]
  readonly links: readonly string[]
}

/** Returns all successes; without any, the `default` response. */
function listSuccesses(document: JsonObject, { raw }: Operation): readonly Success[] {
  const responses = Object.entries(objectOf(raw['responses']))
  const named = responses
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const all = named.length > 0 ? named : responses.filter(([status]) => status === 'default')
  return all.map(([status, response]) => {
    const found = resolved(document, response)
    const content = objectOf(found?.['content'])
    const namesIn = (member: string) => Object.keys(objectOf(found?.[member]))
    const all = [content, objectOf(found?.['headers']), objectOf(found?.['links'])]
    spendOn(document, STEPS_PER_SHARED * all.reduce((sum, one) => sum + countOf(one), 0))
    return {
      status,
      content,
      headers: namesIn('headers'),
      links: namesIn('links'),
    }
  })
}

/** True without a body or with the same schema: the output schema must fit every success. */
function hasSameSchema(
  document: JsonObject,
  { content }: Success,
  schema: Json | undefined,
): boolean {
  const json = Object.entries(content).filter(([type]) => /json/i.test(type))
  return json.every(([, media]) => {
    const other = resolved(document, media)?.['schema']
    if (other === schema) return true
    return spentText(document, other ?? null) === spentText(document, schema ?? null)
  })
}

function writeSmallSchema(
  document: JsonObject,
  schema: Json | undefined,
  { notes }: Remarks,
): JsonObject | undefined {
  const root = resolved(document, schema)
  const leaveOut = (why: string) => {
    notes.push(leftOut(SCHEMA, why))
    return undefined
  }
  if (root === undefined) return schema === true ? undefined : leaveOut('nothing is there')
  if (root['type'] !== 'object' || isMap(root)) {
    return Object.keys(root).length === 0 ? undefined : leaveOut('it is no object with properties')
  }
  const detail = {
    side: 'output',
    hasDescriptions: true,
    levelsMax: LEVELS_MAX,
    bytesMax: OUTPUT_BYTES_MAX,
  } as const
  const closure = schemaClosure(document, detail)
  const written = closure.write(root)
  const defs = closure.definitions()
  if (closure.isTooLarge()) return leaveOut(`it has over ${OUTPUT_BYTES_MAX} bytes`)
  if (closure.isRecursive()) return leaveOut('it contains itself')
  const whole = {
    ...objectOf(written),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  const output = mendedSchema(whole, 'output')
  const bytes = bytesOf(JSON.stringify(output))
  if (bytes > OUTPUT_BYTES_MAX)
    return leaveOut(`it has ${bytes} bytes; ${OUTPUT_BYTES_MAX} at most`)
  notes.push(...lossNotes(closure.losses, 'answer'))
  const formats = unknownFormats(whole)
  if (formats.length > 0) {
    const what = `Of the schema of the answer format ${listed(formats)}`
    notes.push(leftOut(what, 'clients that do not know it warn'))
  }
  return output
}

/** True for an object without named properties, whose schema would promise nothing. */
function isMap(root: JsonObject): boolean {
  return countOf(objectOf(root['properties'])) === 0 && root['allOf'] === undefined
}
