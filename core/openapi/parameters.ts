/**
 * Makes arguments of an operation's parameters in path, query and header, each with its style. The
 * gateway sets Accept and Content-Type itself, so these are left out, as the standard allows.
 * Credentials become secrets, never arguments (parameter-secrets.ts). OpenAPI 3.1, Parameter
 * Object.
 */
import type { JsonObject } from '../json/json.ts'
import { type Argument, type ArgumentNames, takeArgumentName } from './argument.ts'
import { asText } from './fields.ts'
import { listTypes } from './flat-object.ts'
import type { Operation } from './operation.ts'
import {
  type ArgumentName,
  hasTooMany,
  holdsObjects,
  makeArgument,
  makeUnnamedArguments,
  readSchema,
  readStyle,
  withSentName,
  writeStyleFields,
} from './parameter-parts.ts'
import { isCredential } from './parameter-secrets.ts'
import { noteLeftOut, type Remarks } from './remarks.ts'
import type { ToolSecurity } from './security-scheme.ts'

const IGNORED_HEADERS = new Set(['accept', 'content-type'])
/** Headers that a skill may not set (docs/wire.md, Skill config). */
const FORBIDDEN_HEADER =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|cookie|content-length|x-amz-.*)$/i
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

const ORDER = ['path', 'query', 'querystring', 'header', 'cookie']

export type ParameterContext = {
  readonly document: JsonObject
  readonly operation: Operation
  readonly security: ToolSecurity
  readonly names: ArgumentNames
  readonly remarks: Remarks
  /** True if arguments without a place go into the query. */
  readonly restIsQuery: boolean
}

/** Makes the arguments. `pathNames` has the argument of each place in the path. */
export function makeParameterArguments(context: ParameterContext): {
  readonly args: readonly Argument[]
  readonly pathNames: ReadonlyMap<string, string>
} {
  const { names, operation, remarks } = context
  const pathNames = new Map<string, string>()
  const found = operation.path.matchAll(/\{([^{}/?#]+)\}/g)
  const places = new Set([...found].map(([, name = '']) => name))
  const ordered = ORDER.flatMap((place) =>
    operation.parameters.filter((parameter) => parameter['in'] === place),
  )
  const args: Argument[] = []
  for (const parameter of ordered) {
    if (hasTooMany(names)) break
    const name = asText(parameter['name'])
    if (name === undefined) {
      remarks.notes.push(noteLeftOut(`A ${String(parameter['in'])} parameter`, 'it has no name'))
      continue
    }
    if (parameter['in'] === 'path') {
      if (!places.has(name)) {
        remarks.notes.push(noteLeftOut(`The path parameter ${name}`, 'the path has no such place'))
        continue
      }
      const argument = takeArgumentName(name, 'path', names)
      pathNames.set(name, argument)
      args.push(makePathArgument(context, parameter, { name, argument }))
    } else args.push(...makeOtherArgument(context, parameter, name))
  }
  args.push(...makeUnnamedArguments(context, places, pathNames))
  noteOthers(operation, remarks)
  return { args, pathNames }
}

/** Notes parameters in unknown locations, such as a misspelled one. */
function noteOthers({ parameters }: Operation, { notes, reasons }: Remarks): void {
  for (const parameter of parameters) {
    const place = parameter['in']
    if (typeof place === 'string' && ORDER.includes(place)) continue
    const what = `The parameter ${String(parameter['name'])}`
    const why = `there is no place ${JSON.stringify(place)}`
    if (parameter['required'] === true) reasons.push(`${what} is required, and ${why}.`)
    else notes.push(noteLeftOut(what, why))
  }
}

function makePathArgument(
  { document, remarks }: ParameterContext,
  parameter: JsonObject,
  { argument, name }: ArgumentName,
): Argument {
  const { isJson, schema } = readSchema(document, parameter, remarks)
  const style = isJson ? 'json' : readStyle(parameter, 'path', remarks)
  const explode = parameter['explode'] === true
  const isScalar = !listTypes(document, schema).some(
    (type) => type === 'array' || type === 'object',
  )
  const isPlain = style === 'simple' && isScalar
  const place = isPlain
    ? undefined
    : { in: 'path', ...withSentName(name, argument), style, explode }
  return makeArgument(parameter, { name, argument }, { required: true, schema, place }, remarks)
}

function makeOtherArgument(
  context: ParameterContext,
  parameter: JsonObject,
  name: string,
): readonly Argument[] {
  const { remarks } = context
  const required = parameter['required'] === true
  const leaveOut = (why: string): readonly Argument[] => {
    const what = `The ${String(parameter['in'])} parameter ${name}`
    if (required) remarks.reasons.push(`${what} is required, and ${why}.`)
    else remarks.notes.push(noteLeftOut(what, why))
    return []
  }
  // The parameter already has a secret and a note.
  if (isCredential(parameter)) return []
  switch (parameter['in']) {
    case 'cookie':
      return leaveOut('a tool sets no cookie')
    case 'header':
      return makeHeaderArgument(context, parameter, name, leaveOut)
    case 'query':
    case 'querystring':
      return makeQueryArgument(context, parameter, name)
    default:
      return []
  }
}

function makeHeaderArgument(
  { document, names, remarks, security }: ParameterContext,
  parameter: JsonObject,
  name: string,
  leaveOut: (why: string) => readonly Argument[],
): readonly Argument[] {
  const lower = name.toLowerCase()
  if (IGNORED_HEADERS.has(lower)) {
    remarks.notes.push(noteLeftOut(`The header parameter ${name}`, 'the gateway sets this header'))
    return []
  }
  if (Object.hasOwn(security.headers, lower)) {
    remarks.notes.push(noteLeftOut(`The header parameter ${name}`, 'a secret is sent there'))
    return []
  }
  if (!HEADER_NAME.test(name) || FORBIDDEN_HEADER.test(name)) {
    return leaveOut('a skill may not set such a header')
  }
  const argument = takeArgumentName(name, 'header', names)
  const { isJson, schema } = readSchema(document, parameter, remarks)
  const style = isJson ? 'json' : readStyle(parameter, 'header', remarks)
  const explode = parameter['explode'] === true ? { explode: true } : {}
  const place = { in: 'header', ...withSentName(name, argument), style, ...explode }
  const required = parameter['required'] === true
  return [makeArgument(parameter, { name, argument }, { required, schema, place }, remarks)]
}

function makeQueryArgument(
  context: ParameterContext,
  parameter: JsonObject,
  name: string,
): readonly Argument[] {
  const { document, names, remarks, security } = context
  if (Object.hasOwn(security.query, name)) {
    remarks.notes.push(noteLeftOut(`The query parameter ${name}`, 'a secret is sent there'))
    return []
  }
  const argument = takeArgumentName(name, 'query', names)
  const { isJson, schema } = readSchema(document, parameter, remarks)
  const isWhole = parameter['in'] === 'querystring'
  const style = isWhole ? 'form' : isJson ? 'json' : readStyle(parameter, 'query', remarks)
  if (holdsObjects(document, schema) && style !== 'json' && style !== 'deepObject') {
    remarks.reasons.push(
      `The query parameter ${name} is a list of objects, which ${style} cannot write.`,
    )
    return []
  }
  const explode = isWhole || (parameter['explode'] ?? style === 'form') === true
  const reserved = parameter['allowReserved'] === true
  const isObject = listTypes(document, schema).includes('object')
  const isPlain = style === 'form' && explode && !reserved && argument === name && !isObject
  const place =
    isPlain && context.restIsQuery
      ? undefined
      : {
          in: 'query',
          ...withSentName(name, argument),
          ...writeStyleFields(style, explode, reserved),
        }
  const required = parameter['required'] === true
  return [makeArgument(parameter, { name, argument }, { required, schema, place }, remarks)]
}
