/**
 * Parameters of an operation as arguments of a tool. OpenAPI 3.1, Parameter Object: path, query and
 * header, each in its style. Headers that the gateway sets itself are left out, as the standard says of
 * Accept, Content-Type and Authorization.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { type Argument, argumentName, type Remarks } from './argument.ts'
import { objectOf, textOf } from './fields.ts'
import { typesOf } from './flat-object.ts'
import type { Operation } from './operation.ts'
import { resolved } from './references.ts'
import type { ToolSecurity } from './security.ts'

const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization'])
/** Headers that a skill may not set (docs/wire.md, Skill config). */
const FORBIDDEN_HEADER =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|cookie|content-length|x-amz-.*)$/i
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const STYLES: { readonly [place: string]: readonly string[] } = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}
const ORDER = ['path', 'query', 'querystring', 'header', 'cookie']

export type ParameterContext = {
  readonly document: JsonObject
  readonly operation: Operation
  readonly security: ToolSecurity
  readonly taken: Set<string>
  readonly remarks: Remarks
  /** True: arguments without a place go into the query as they are. */
  readonly restIsQuery: boolean
}

/** `pathNames`: the argument of each place in the path. */
export function parameterArguments(context: ParameterContext): {
  readonly args: readonly Argument[]
  readonly pathNames: ReadonlyMap<string, string>
} {
  const { operation, taken } = context
  const pathNames = new Map<string, string>()
  const places = [...operation.path.matchAll(/\{([^{}/?#]+)\}/g)].map(([, name = '']) => name)
  const ordered = ORDER.flatMap((place) =>
    operation.parameters.filter((parameter) => parameter['in'] === place),
  )
  const args: Argument[] = []
  for (const parameter of ordered) {
    const name = textOf(parameter['name'])
    if (name === undefined) continue
    if (parameter['in'] === 'path') {
      if (!places.includes(name) || pathNames.has(name)) continue
      const argument = argumentName(name, 'path', taken)
      pathNames.set(name, argument)
      args.push(pathArgument(context, parameter, { name, argument }))
    } else args.push(...otherArgument(context, parameter, name))
  }
  for (const name of places.filter((one) => !pathNames.has(one))) {
    const argument = argumentName(name, 'path', taken)
    pathNames.set(name, argument)
    const schema = { type: 'string' }
    args.push({ name: argument, required: true, schema, description: undefined, place: undefined })
  }
  return { args, pathNames }
}

type ArgumentName = { readonly name: string; readonly argument: string }

function pathArgument(
  { document, remarks }: ParameterContext,
  parameter: JsonObject,
  { argument, name }: ArgumentName,
): Argument {
  const { isJson, schema } = schemaOf(document, parameter)
  const style = isJson ? 'json' : styleOf(parameter, 'path', remarks)
  const explode = parameter['explode'] === true
  const isScalar = !typesOf(document, schema).some((type) => type === 'array' || type === 'object')
  const isPlain = style === 'simple' && isScalar
  const place = isPlain ? undefined : { in: 'path', ...renamed(name, argument), style, explode }
  return { name: argument, required: true, schema, description: descriptionOf(parameter), place }
}

function otherArgument(
  context: ParameterContext,
  parameter: JsonObject,
  name: string,
): readonly Argument[] {
  const { remarks } = context
  const required = parameter['required'] === true
  const leaveOut = (why: string): readonly Argument[] => {
    const remark = `The ${String(parameter['in'])} parameter ${name} ${why}.`
    if (required) remarks.reasons.push(remark)
    else remarks.notes.push(`${remark} It is left out.`)
    return []
  }
  switch (parameter['in']) {
    case 'cookie':
      return leaveOut('is a cookie, which a tool cannot set')
    case 'header':
      return headerArgument(context, parameter, name, leaveOut)
    case 'query':
    case 'querystring':
      return queryArgument(context, parameter, name)
    default:
      return []
  }
}

function headerArgument(
  { document, remarks, security, taken }: ParameterContext,
  parameter: JsonObject,
  name: string,
  leaveOut: (why: string) => readonly Argument[],
): readonly Argument[] {
  const lower = name.toLowerCase()
  if (IGNORED_HEADERS.has(lower) || Object.hasOwn(security.headers, lower)) return []
  if (!HEADER_NAME.test(name) || FORBIDDEN_HEADER.test(name)) {
    return leaveOut('is a header that a skill may not set')
  }
  const argument = argumentName(name, 'header', taken)
  const { isJson, schema } = schemaOf(document, parameter)
  const style = isJson ? 'json' : styleOf(parameter, 'header', remarks)
  const explode = parameter['explode'] === true ? { explode: true } : {}
  const place = { in: 'header', ...renamed(name, argument), style, ...explode }
  const required = parameter['required'] === true
  return [{ name: argument, required, schema, description: descriptionOf(parameter), place }]
}

function queryArgument(
  context: ParameterContext,
  parameter: JsonObject,
  name: string,
): readonly Argument[] {
  const { document, remarks, security, taken } = context
  if (Object.hasOwn(security.query, name)) return []
  const argument = argumentName(name, 'query', taken)
  const { isJson, schema } = schemaOf(document, parameter)
  const isWhole = parameter['in'] === 'querystring'
  const style = isWhole ? 'form' : isJson ? 'json' : styleOf(parameter, 'query', remarks)
  if (holdsObjects(document, schema) && style !== 'json' && style !== 'deepObject') {
    remarks.reasons.push(
      `The query parameter ${name} is a list of objects, which ${style} cannot write.`,
    )
    return []
  }
  const explode = isWhole || (parameter['explode'] ?? style === 'form') === true
  const reserved = parameter['allowReserved'] === true
  const isObject = typesOf(document, schema).includes('object')
  const isPlain = style === 'form' && explode && !reserved && argument === name && !isObject
  const place =
    isPlain && context.restIsQuery
      ? undefined
      : { in: 'query', ...renamed(name, argument), ...styleFields(style, explode, reserved) }
  const required = parameter['required'] === true
  return [{ name: argument, required, schema, description: descriptionOf(parameter), place }]
}

/** Only what differs from the default of a skill. */
function styleFields(style: string, explode: boolean, reserved: boolean): JsonObject {
  return {
    ...(style === 'form' ? {} : { style }),
    ...(explode === (style === 'form') ? {} : { explode }),
    ...(reserved ? { allow_reserved: true } : {}),
  }
}

export function renamed(name: string, argument: string): JsonObject {
  return name === argument ? {} : { name }
}

function styleOf(parameter: JsonObject, place: string, remarks: Remarks): string {
  const styles = STYLES[place] ?? []
  const style = parameter['style'] ?? styles[0]
  if (typeof style === 'string' && styles.includes(style)) return style
  remarks.reasons.push(
    `The ${place} parameter ${String(parameter['name'])} has the style ${String(style)}.`,
  )
  return styles[0] ?? 'form'
}

/** `content` in place of `schema`: the value is written as JSON. */
function schemaOf(
  document: JsonObject,
  parameter: JsonObject,
): { readonly schema: Json; readonly isJson: boolean } {
  const [content] = Object.entries(objectOf(parameter['content']))
  if (content === undefined) return { schema: parameter['schema'] ?? {}, isJson: false }
  const schema = resolved(document, content[1])?.['schema'] ?? {}
  return { schema, isJson: /json/i.test(content[0]) }
}

function holdsObjects(document: JsonObject, value: Json): boolean {
  const schema = resolved(document, value)
  if (schema === undefined || !isJsonObject(schema['items'])) return false
  return typesOf(document, schema['items']).includes('object')
}

function descriptionOf(parameter: JsonObject): string | undefined {
  return textOf(parameter['description'])
}
