/**
 * The schema of a tool's arguments under its size limit: whole where it fits, else without the
 * descriptions below the arguments, else with deep parts as their type alone. Parts that the schema check
 * refuses (patterns that cannot be cut off, values of a wrong kind) are removed, each with a note.
 */
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import type { Argument, Remarks } from './argument.ts'
import { objectOf, shortened } from './fields.ts'
import { INPUT_BYTES_MAX, PARAMETER_DESCRIPTION_CHARS_MAX } from './limits.ts'
import { schemaClosure } from './schema-closure.ts'

/** Faults of a schema, with pointers into it; [] for one that a skill may have. */
export type JudgeSchema = (schema: JsonObject) => readonly FieldFault[]
export type SchemaJudges = { readonly input: JudgeSchema; readonly output: JudgeSchema }

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
    if (index > 0)
      remarks.notes.push(`${PRUNED[Math.min(index, 2)]} to fit ${INPUT_BYTES_MAX} bytes.`)
    for (const fault of judged.removed) {
      remarks.notes.push(`The schema lost ${fault.pointer}: ${fault.message}.`)
    }
    for (const reference of written.missing) {
      remarks.notes.push(`The reference ${reference} leads nowhere and takes any value.`)
    }
    return judged.schema
  }
  remarks.reasons.push(`The schema of its arguments is over ${INPUT_BYTES_MAX} bytes.`)
  return undefined
}

const PRUNED = [
  '',
  'Descriptions inside arguments are left out',
  'Deep parts of arguments are their type alone',
]

type Written = {
  readonly schema: JsonObject
  readonly missing: ReadonlySet<string>
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
    args.map((argument) => [argument.name, propertyOf(argument, closure.write)]),
  )
  const required = args.filter((one) => one.required && !hasDefault(properties[one.name]))
  const defs = closure.definitions()
  const schema = {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    ...(detail.isOpen ? {} : { additionalProperties: false }),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  }
  return { schema, missing: closure.missing, isTooLarge: closure.isTooLarge() }
}

function propertyOf(
  { description, isWritten, schema }: Argument,
  write: (schema: Json, level?: number) => Json,
): Json {
  const written = isWritten === true ? schema : write(schema)
  if (description === undefined || !isJsonObject(written)) return written
  return { ...written, description: shortened(description, PARAMETER_DESCRIPTION_CHARS_MAX) }
}

/** The gateway adds a default that was left out, so the argument need not be given. */
function hasDefault(property: Json | undefined): boolean {
  return Object.hasOwn(objectOf(property), 'default')
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
