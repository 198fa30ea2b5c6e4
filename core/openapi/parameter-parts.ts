/** Reads the parts of a parameter of any location: its schema, its style, and the lost members. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import {
  type Argument,
  type ArgumentNames,
  takeArgumentName,
  withOriginalName,
} from './argument.ts'
import { asObject, asText } from './fields.ts'
import { listTypes } from './flat-object.ts'
import { ARGUMENTS_MAX } from './limits.ts'
import { resolveObject } from './references.ts'
import { joinNames, noteChanged, noteChosen, noteLeftOut, type Remarks } from './remarks.ts'

export type ArgumentName = { readonly name: string; readonly argument: string }

/** Makes an argument of a parameter, with notes about its lost members and its new name. */
export function makeArgument(
  parameter: JsonObject,
  { argument, name }: ArgumentName,
  what: Pick<Argument, 'place' | 'required' | 'schema'>,
  remarks: Remarks,
): Argument {
  noteLost(parameter, name, remarks)
  if (name !== argument) {
    const place = String(parameter['in'])
    remarks.notes.push(noteChanged(`The ${place} parameter ${name}`, `the argument ${argument}`))
  }
  const description = asText(parameter['description'])
  return { name: argument, ...withOriginalName(name, argument), description, ...what }
}

/** Members of a parameter that a tool keeps. */
const KEPT = new Set(
  'name in required description schema content style explode allowReserved'.split(' '),
)

function noteLost(parameter: JsonObject, name: string, { notes }: Remarks): void {
  const lost = Object.keys(parameter).filter((member) => !KEPT.has(member))
  const place = String(parameter['in'])
  if (lost.length > 0) {
    notes.push(
      noteLeftOut(
        `Of the ${place} parameter ${name} ${joinNames(lost)}`,
        'a tool does not keep it',
      ),
    )
  }
  if (parameter['allowReserved'] === true && place !== 'query') {
    notes.push(noteLeftOut(`Of the ${place} parameter ${name} allowReserved`, 'it is for queries'))
  }
}

const STYLES: { readonly [place: string]: readonly string[] } = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}

/** Returns the style; adds a reason for a style that the location does not have. */
export function readStyle(parameter: JsonObject, place: string, remarks: Remarks): string {
  const styles = STYLES[place] ?? []
  const style = parameter['style'] ?? styles[0]
  if (typeof style === 'string' && styles.includes(style)) return style
  remarks.reasons.push(
    `The ${place} parameter ${String(parameter['name'])} has the style ${String(style)}.`,
  )
  return styles[0] ?? 'form'
}

/** Reads the schema. With `content` instead of `schema`, the value is written as JSON. */
export function readSchema(
  document: JsonObject,
  parameter: JsonObject,
  { notes }: Remarks,
): { readonly schema: Json; readonly isJson: boolean } {
  const [content, ...others] = Object.entries(asObject(parameter['content']))
  if (content === undefined) return { schema: parameter['schema'] ?? {}, isJson: false }
  if (others.length > 0) {
    const types = others.map(([type]) => type)
    notes.push(noteChosen(`types of the parameter ${String(parameter['name'])}`, content[0], types))
  }
  if (!/json/i.test(content[0])) {
    notes.push(`The parameter ${String(parameter['name'])} is sent as text, not as ${content[0]}.`)
  }
  const schema = resolveObject(document, content[1])?.['schema'] ?? {}
  return { schema, isJson: /json/i.test(content[0]) }
}

export function withSentName(name: string, argument: string): JsonObject {
  return name === argument ? {} : { name }
}

/** True for a list of objects. */
export function holdsObjects(document: JsonObject, value: Json): boolean {
  const schema = resolveObject(document, value)
  if (schema === undefined || !isJsonObject(schema['items'])) return false
  return listTypes(document, schema['items']).includes('object')
}

/** Returns only members that differ from a skill's defaults. */
export function writeStyleFields(style: string, explode: boolean, reserved: boolean): JsonObject {
  return {
    ...(style === 'form' ? {} : { style }),
    ...(explode === (style === 'form') ? {} : { explode }),
    ...(reserved ? { allow_reserved: true } : {}),
  }
}

/** True if the operation will be refused. Further names would each be compared with all others. */
export function hasTooMany({ taken }: ArgumentNames): boolean {
  return taken.size > ARGUMENTS_MAX
}

/** Makes arguments of path places without a parameter, and adds them to `pathNames`. */
export function makeUnnamedArguments(
  { names, remarks }: { readonly names: ArgumentNames; readonly remarks: Remarks },
  places: Iterable<string>,
  pathNames: Map<string, string>,
): readonly Argument[] {
  const args: Argument[] = []
  for (const name of places) {
    if (pathNames.has(name)) continue
    if (hasTooMany(names)) break
    const argument = takeArgumentName(name, 'path', names)
    pathNames.set(name, argument)
    const schema = { type: 'string' }
    const what = { required: true, schema, description: undefined, place: undefined }
    args.push({ name: argument, ...withOriginalName(name, argument), ...what })
    remarks.notes.push(`The place {${name}} of the path has no parameter, so any text is taken.`)
  }
  return args
}
