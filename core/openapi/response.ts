/**
 * Makes an output schema of an operation's successful JSON answer. A schema that is large,
 * recursive or not an object is left out: clients compile each schema when they list tools, and an
 * answer that does not fit the schema fails the call.
 */
import { findUnknownFormats, mendSchema } from '../json/client-schemas.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { countBytes } from '../json/text-bytes.ts'
import { isDataType } from './data-types.ts'
import { asObject, countMembers } from './fields.ts'
import { OUTPUT_BYTES_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { resolveObject } from './references.ts'
import { joinNames, noteChosen, noteLeftOut, type Remarks } from './remarks.ts'
import { makeSchemaClosure } from './schema-closure.ts'
import { writeLossNotes } from './schema-losses.ts'
import { STEPS_PER_SHARED, spendDocumentSteps, writeComparedText } from './work-budget.ts'

/** Types of answers that do not end, or that are several answers in one. */
const STREAM_TYPES = /event-stream|x-mixed-replace|^multipart\//i
const LEVELS_MAX = 12
const SCHEMA = 'The schema of its answer'

/** Returns the schema; undefined without one, with a note or a reason if a schema is left out. */
export function writeOutputSchema(
  document: JsonObject,
  operation: Operation,
  remarks: Remarks,
): JsonObject | undefined {
  const successes = listSuccesses(document, operation)
  const first = successes.find(({ content }) => Object.keys(content).length > 0)
  const content = first?.content ?? {}
  const types = Object.keys(content)
  if (types.length > 0 && types.every((type) => STREAM_TYPES.test(type))) {
    remarks.reasons.push(`It answers ${types.join(', ')}, which a tool result cannot carry.`)
    return undefined
  }
  noteLost(successes, remarks)
  noteData(types, remarks)
  const json = Object.entries(content).find(([type]) => /json/i.test(type))
  const media = resolveObject(document, json?.[1])
  if (media?.['itemSchema'] !== undefined) {
    remarks.reasons.push('It answers a stream of items, which a tool result cannot carry.')
    return undefined
  }
  const others = types.filter((type) => type !== json?.[0])
  if (json !== undefined && others.length > 0) {
    remarks.notes.push(noteChosen('types of answers', json[0], others))
  }
  if (media?.['schema'] === undefined) return undefined
  const unlike = successes.filter((one) => !hasSameSchema(document, one, media['schema']))
  if (unlike.length > 0) {
    const statuses = joinNames(unlike.map(({ status }) => status))
    remarks.notes.push(noteLeftOut(SCHEMA, `the answers of ${statuses} have another one`))
    return undefined
  }
  return writeSmallSchema(document, media['schema'], remarks)
}

/** Data is in the result as bytes, or behind a link if it is long. */
function noteData(types: readonly string[], { notes }: Remarks): void {
  const data = types.filter((type) => isDataType(type) && !SHOWN_TYPES.test(type))
  if (data.length === 0 || data.length < types.length) return
  notes.push(`It answers ${joinNames(data)}: as bytes in the result, which few models read.`)
}

/** Clients show these to a model. */
const SHOWN_TYPES = /^image\/(?:png|jpe?g|gif|webp|\*)|^audio\//i

function noteLost(successes: readonly Success[], { notes }: Remarks): void {
  const headers = successes.flatMap((one) => one.headers)
  const links = successes.flatMap((one) => one.links)
  if (headers.length > 0) {
    notes.push(
      noteLeftOut(`Headers of its answer (${joinNames(headers)})`, 'a tool shows the body'),
    )
  }
  if (links.length > 0) {
    notes.push(noteLeftOut(`Links of its answer (${joinNames(links)})`, 'a tool is one operation'))
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
  const responses = Object.entries(asObject(raw['responses']))
  const named = responses
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const all = named.length > 0 ? named : responses.filter(([status]) => status === 'default')
  return all.map(([status, response]) => {
    const found = resolveObject(document, response)
    const content = asObject(found?.['content'])
    const namesIn = (member: string) => Object.keys(asObject(found?.[member]))
    const all = [content, asObject(found?.['headers']), asObject(found?.['links'])]
    spendDocumentSteps(
      document,
      STEPS_PER_SHARED * all.reduce((sum, one) => sum + countMembers(one), 0),
    )
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
    const other = resolveObject(document, media)?.['schema']
    if (other === schema) return true
    return (
      writeComparedText(document, other ?? null) === writeComparedText(document, schema ?? null)
    )
  })
}

function writeSmallSchema(
  document: JsonObject,
  schema: Json | undefined,
  { notes }: Remarks,
): JsonObject | undefined {
  const root = resolveObject(document, schema)
  const leaveOut = (why: string) => {
    notes.push(noteLeftOut(SCHEMA, why))
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
  const closure = makeSchemaClosure(document, detail)
  const written = closure.write(root)
  const defs = closure.definitions()
  if (closure.isTooLarge()) return leaveOut(`it has over ${OUTPUT_BYTES_MAX} bytes`)
  if (closure.isRecursive()) return leaveOut('it contains itself')
  const whole = {
    ...asObject(written),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  const output = mendSchema(whole, 'output')
  const bytes = countBytes(JSON.stringify(output))
  if (bytes > OUTPUT_BYTES_MAX)
    return leaveOut(`it has ${bytes} bytes; ${OUTPUT_BYTES_MAX} at most`)
  notes.push(...writeLossNotes(closure.losses, 'answer'))
  const formats = findUnknownFormats(whole)
  if (formats.length > 0) {
    const what = `Of the schema of the answer format ${joinNames(formats)}`
    notes.push(noteLeftOut(what, 'clients that do not know it warn'))
  }
  return output
}

/** True for an object without named properties, whose schema would promise nothing. */
function isMap(root: JsonObject): boolean {
  return countMembers(asObject(root['properties'])) === 0 && root['allOf'] === undefined
}
