/**
 * The schema of a tool's arguments under its size limit: whole where it fits, else without the
 * descriptions below the arguments, else with deep parts as their type alone. Parts that the schema check
 * refuses (patterns that cannot be cut off, values of a wrong kind) are removed, each with a note.
 */
import type { FieldFault } from '../errors.ts'
import { mendedSchema } from '../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import type { Argument } from './argument.ts'
import { objectOf, textOf } from './fields.ts'
import { INPUT_BYTES_MAX } from './limits.ts'
import type { Remarks } from './remarks.ts'
import { type SchemaClosure, schemaClosure } from './schema-closure.ts'
import { lossNotes, PRUNED, type SchemaLosses } from './schema-losses.ts'
import { joinedText } from './schema-parts.ts'

/** Faults of a schema, with pointers into it; [] for one that a skill may have. */
export type JudgeSchema = (schema: JsonObject) => readonly FieldFault[]
export type ToolJudges = {
  readonly input: JudgeSchema
  readonly output: JudgeSchema
  /** Patterns of a schema that calls will not be checked against. */
  readonly notices: JudgeSchema
  /** Why a skill cannot have these members of `config`; undefined: it can. */
  config(config: JsonObject): string | undefined
}

/** From all there is to the arguments' types alone. */
const DETAILS = [
  { hasDescriptions: true, levelsMax: 24 },
  { hasDescriptions: false, levelsMax: 24 },
  { hasDescriptions: false, levelsMax: 6 },
  { hasDescriptions: false, levelsMax: 4 },
  { hasDescriptions: false, levelsMax: 2 },
  { hasDescriptions: false, levelsMax: 0 },
] as const
/** Rounds of removing the parts that the schema check refuses. */
const ROUNDS_MAX = 4

export function inputSchemaOf(
  document: JsonObject,
  args: readonly Argument[],
  options: { readonly isOpen: boolean; readonly judge: JudgeSchema; readonly remarks: Remarks },
): JsonObject | undefined {
  const { isOpen, judge, remarks } = options
  for (const [index, detail] of DETAILS.entries()) {
    const written = writtenSchema(document, args, { ...detail, isOpen })
    if (written.isTooLarge || bytesOf(JSON.stringify(written.schema)) > INPUT_BYTES_MAX) continue
    const judged = withoutFaults(written.schema, judge)
    if (judged === undefined) continue
    const removed = judged.removed.map(
      ({ message, pointer }) => `The schema lost ${pointer}: ${message}.`,
    )
    const pruned = index === 0 ? [] : [PRUNED[index === 1 ? 1 : 2]]
    remarks.notes.push(...pruned, ...removed, ...lossNotes(written.losses, 'arguments'))
    return judged.schema
  }
  remarks.reasons.push(`The schema of its arguments is over ${INPUT_BYTES_MAX} bytes.`)
  return undefined
}

type Written = {
  readonly schema: JsonObject
  readonly losses: SchemaLosses
  readonly isTooLarge: boolean
}

function writtenSchema(
  document: JsonObject,
  args: readonly Argument[],
  detail: {
    readonly hasDescriptions: boolean
    readonly levelsMax: number
    readonly isOpen: boolean
  },
): Written {
  const closure = schemaClosure(document, { side: 'input', ...detail, bytesMax: INPUT_BYTES_MAX })
  const properties = Object.fromEntries(
    args.map((argument) => [argument.name, propertyOf(argument, closure)]),
  )
  const required = args.filter((one) => one.required)
  const defs = closure.definitions()
  const schema = {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    ...(detail.isOpen ? {} : { additionalProperties: false }),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  const { losses } = closure
  const isTooLarge = closure.isTooLarge()
  return { schema: isTooLarge ? schema : mendedSchema(schema, 'input'), losses, isTooLarge }
}

/** The name in the document stands first in the description of an argument that is called otherwise. */
function propertyOf(
  { description, isWritten, original, schema }: Argument,
  { losses, write }: SchemaClosure,
): Json {
  const written = isWritten === true ? schema : write(schema)
  if (!isJsonObject(written)) return written
  const own = textOf(written['description'])
  const said = description === undefined || own?.startsWith(description) === true
  const text = said ? own : [description, own].filter((one) => one !== undefined).join(' ')
  if (original === undefined && text === own) return written
  const named = original === undefined ? text : `Called ${original} in the API. ${text ?? ''}`
  const joined = joinedText(named, [], losses)
  return joined === undefined ? written : { ...written, description: joined }
}

type SchemaJudgement = { readonly schema: JsonObject; readonly removed: readonly FieldFault[] }

function withoutFaults(schema: JsonObject, judge: JudgeSchema): SchemaJudgement | undefined {
  let remaining = schema
  const removed: FieldFault[] = []
  for (let round = 0; round <= ROUNDS_MAX; round += 1) {
    const faults = judge(remaining)
    if (faults.length === 0) return { schema: remaining, removed }
    if (faults.some(({ pointer }) => pointer === '')) return undefined
    for (const fault of faults) remaining = objectOf(without(remaining, partsOf(fault.pointer)))
    removed.push(...faults)
  }
  return undefined
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function without(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined) return value
  if (Array.isArray(value)) {
    const at = Number(name)
    if (rest.length === 0) return value.filter((_: Json, index) => index !== at)
    return value.map((item: Json, index) => (index === at ? without(item, rest) : item))
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value
  if (rest.length > 0) return { ...value, [name]: without(value[name] ?? null, rest) }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
