/**
 * The answer of an operation: its first success with JSON, as an output schema where that is small. A
 * schema that is large, recursive or no object is left out: clients compile each one when they list
 * tools, and an answer that does not fit it fails the call.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import type { Remarks } from './argument.ts'
import { countOf, objectOf } from './fields.ts'
import { OUTPUT_BYTES_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { resolved } from './references.ts'
import { schemaClosure } from './schema-closure.ts'

/** Types that a tool result can carry: JSON, text, XML as text, images and audio. */
const CARRIED =
  /json|^text\/(?!event-stream)|xml|^image\/|^audio\/|\*\/\*|javascript|yaml|x-www-form/i
const LEVELS_MAX = 12

export function outputSchemaOf(
  document: JsonObject,
  operation: Operation,
  remarks: Remarks,
): JsonObject | undefined {
  const content = successContent(document, operation)
  const types = Object.keys(content)
  if (types.length > 0 && !types.some((type) => CARRIED.test(type))) {
    remarks.reasons.push(`It answers ${types.join(', ')}, which a tool result cannot carry.`)
    return undefined
  }
  const json = Object.entries(content).find(([type]) => /json/i.test(type))
  const media = resolved(document, json?.[1])
  if (media?.['itemSchema'] !== undefined) {
    remarks.reasons.push('It answers a stream of items, which a tool result cannot carry.')
    return undefined
  }
  return media === undefined ? undefined : smallSchema(document, media['schema'], remarks)
}

function successContent(document: JsonObject, { raw }: Operation): JsonObject {
  const responses = Object.entries(objectOf(raw['responses']))
  const successes = responses
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const [first] =
    successes.length > 0 ? successes : responses.filter(([status]) => status === 'default')
  return objectOf(resolved(document, first?.[1])?.['content'])
}

function smallSchema(
  document: JsonObject,
  schema: Json | undefined,
  { notes }: Remarks,
): JsonObject | undefined {
  const root = resolved(document, schema)
  if (root === undefined) return undefined
  if (root['type'] !== 'object' || isMap(root)) return undefined
  const detail = {
    side: 'output',
    hasDescriptions: true,
    levelsMax: LEVELS_MAX,
    bytesMax: OUTPUT_BYTES_MAX,
  } as const
  const closure = schemaClosure(document, detail)
  const written = closure.write(root)
  const defs = closure.definitions()
  if (closure.isTooLarge()) {
    notes.push(`The schema of its answer has over ${OUTPUT_BYTES_MAX} bytes and is left out.`)
    return undefined
  }
  if (closure.isRecursive()) {
    notes.push('The schema of its answer contains itself and is left out.')
    return undefined
  }
  const output = {
    ...objectOf(written),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  const bytes = bytesOf(JSON.stringify(output))
  if (bytes <= OUTPUT_BYTES_MAX) return output
  notes.push(`The schema of its answer has ${bytes} bytes and is left out.`)
  return undefined
}

/** An object of any members promises nothing. */
function isMap(root: JsonObject): boolean {
  return countOf(objectOf(root['properties'])) === 0 && root['allOf'] === undefined
}
