/**
 * Writes the schema of a tool's arguments under its size limit: complete if possible, else without
 * descriptions below the arguments, else with only the types of deep parts. Parts that the schema
 * check refuses (patterns without a time limit, values of a wrong kind) are removed, each with a
 * note.
 */
import type { FieldError } from '../errors.ts'
import { mendSchema } from '../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { countBytes } from '../json/text-bytes.ts'
import type { Argument } from './argument.ts'
import { asObject, asText } from './fields.ts'
import { readHtml } from './html-text.ts'
import { INPUT_BYTES_MAX } from './limits.ts'
import type { Remarks } from './remarks.ts'
import { makeSchemaClosure, type SchemaClosure } from './schema-closure.ts'
import { PRUNED_NOTES, type SchemaLosses, writeLossNotes } from './schema-losses.ts'
import { joinDescription } from './schema-parts.ts'

/** Returns the errors of a schema with pointers into it; [] for a valid schema. */
export type JudgeSchema = (schema: JsonObject) => readonly FieldError[]
export type ToolJudges = {
  readonly input: JudgeSchema
  readonly output: JudgeSchema
  /** Returns the patterns that calls are not checked with. */
  readonly notices: JudgeSchema
  /** Explains why a skill cannot have these members of `config`; undefined if it can. */
  config(config: JsonObject): string | undefined
}

/** From the complete schema to only the types of the arguments. */
const DETAILS = [
  { hasDescriptions: true, levelsMax: 24 },
  { hasDescriptions: false, levelsMax: 24 },
  { hasDescriptions: false, levelsMax: 6 },
  { hasDescriptions: false, levelsMax: 4 },
  { hasDescriptions: false, levelsMax: 2 },
  { hasDescriptions: false, levelsMax: 0 },
] as const
/** Rounds of removing parts that the schema check refuses. */
const ROUNDS_MAX = 4

type InputOptions = {
  readonly isOpen: boolean
  /** `dependentRequired` of the arguments. */
  readonly needs: JsonObject
  readonly judge: JudgeSchema
  readonly remarks: Remarks
}

/** Returns the most detailed schema within the limit; without one, adds a reason to `remarks`. */
export function makeInputSchema(
  document: JsonObject,
  args: readonly Argument[],
  options: InputOptions,
): JsonObject | undefined {
  const { isOpen, judge, needs, remarks } = options
  for (const [index, detail] of DETAILS.entries()) {
    const written = writeSchema(document, args, { ...detail, isOpen, needs })
    if (written.isTooLarge || countBytes(JSON.stringify(written.schema)) > INPUT_BYTES_MAX) continue
    const judged = removeInvalid(written.schema, judge)
    if (judged === undefined) continue
    const removed = judged.removed.map(
      ({ message, pointer }) => `The schema lost ${pointer}: ${message}.`,
    )
    const pruned = index === 0 ? [] : [PRUNED_NOTES[index === 1 ? 1 : 2]]
    remarks.notes.push(...pruned, ...removed, ...writeLossNotes(written.losses, 'arguments'))
    return judged.schema
  }
  remarks.reasons.push(`The schema of its arguments is over ${INPUT_BYTES_MAX} bytes.`)
  return undefined
}

type WrittenSchema = {
  readonly schema: JsonObject
  readonly losses: SchemaLosses
  readonly isTooLarge: boolean
}

function writeSchema(
  document: JsonObject,
  args: readonly Argument[],
  detail: {
    readonly hasDescriptions: boolean
    readonly levelsMax: number
    readonly isOpen: boolean
    readonly needs: JsonObject
  },
): WrittenSchema {
  const closure = makeSchemaClosure(document, {
    side: 'input',
    ...detail,
    bytesMax: INPUT_BYTES_MAX,
  })
  const properties = Object.fromEntries(
    args.map((argument) => [argument.name, writeProperty(argument, closure)]),
  )
  const required = args.filter((one) => one.required)
  const defs = closure.definitions()
  const schema = {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    ...(Object.keys(detail.needs).length === 0 ? {} : { dependentRequired: detail.needs }),
    ...(detail.isOpen ? {} : { additionalProperties: false }),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  const { losses } = closure
  const isTooLarge = closure.isTooLarge()
  return { schema: isTooLarge ? schema : mendSchema(schema, 'input'), losses, isTooLarge }
}

/** The description of a renamed argument starts with its name in the document. */
function writeProperty(
  { description: raw, isWritten, original, schema }: Argument,
  { losses, write }: SchemaClosure,
): Json {
  const written = isWritten === true ? schema : write(schema)
  if (!isJsonObject(written)) return written
  const own = asText(written['description'])
  const description = raw === undefined ? undefined : readHtml(raw)
  const said = description === undefined || own?.startsWith(description) === true
  const text = said ? own : [description, own].filter((one) => one !== undefined).join(' ')
  if (original === undefined && text === own) return written
  const named = original === undefined ? text : `Called ${original} in the API. ${text ?? ''}`
  const joined = joinDescription(named, [], losses)
  if (description !== raw && own === undefined) losses.html += 1
  return joined === undefined ? written : { ...written, description: joined }
}

type CheckedSchema = { readonly schema: JsonObject; readonly removed: readonly FieldError[] }

function removeInvalid(schema: JsonObject, judge: JudgeSchema): CheckedSchema | undefined {
  let remaining = schema
  const removed: FieldError[] = []
  for (let round = 0; round <= ROUNDS_MAX; round += 1) {
    const faults = judge(remaining)
    if (faults.length === 0) return { schema: remaining, removed }
    if (faults.some(({ pointer }) => pointer === '')) return undefined
    for (const fault of faults)
      remaining = asObject(removeAt(remaining, splitPointer(fault.pointer)))
    removed.push(...faults)
  }
  return undefined
}

function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function removeAt(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined) return value
  if (Array.isArray(value)) {
    const at = Number(name)
    if (rest.length === 0) return value.filter((_: Json, index) => index !== at)
    return value.map((item: Json, index) => (index === at ? removeAt(item, rest) : item))
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value
  if (rest.length > 0) return { ...value, [name]: removeAt(value[name] ?? null, rest) }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
