/** Makes a skill's unified JSON of one operation, or gives the reasons why that is not possible. */
import type { Json, JsonObject } from '../json/json.ts'
import type { Argument } from './argument.ts'
import { makeInputSchema, type ToolJudges } from './input-schema.ts'
import type { LeftOut } from './left-out.ts'
import { ARGUMENTS_MAX, NEEDED_PAIRS_MAX, PARAMETERS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { withParameterSecrets } from './parameter-secrets.ts'
import { makeParameterArguments } from './parameters.ts'
import { limitNotes, noteLeftOut, type Remarks } from './remarks.ts'
import {
  type BodyArguments,
  type BodyContext,
  chooseMedia,
  makeBodyArguments,
} from './request-body.ts'
import { writeOutputSchema } from './response.ts'
import type { SecretNames } from './secret-names.ts'
import { chooseSecurity } from './security.ts'
import type { SecurityTerms, ToolSecret, ToolSecurity } from './security-scheme.ts'
import { chooseServerUrl, readHost, type ServerOptions } from './server-url.ts'
import type { ToolSettings } from './tool-settings.ts'
import { noteUnusedParts, pickTags, writeTitle, writeToolDescription } from './tool-words.ts'

export type ToolOptions = ServerOptions & {
  readonly secretNames: SecretNames
  /** The host of the document's service; '' if its root has no server. */
  readonly host: string
  readonly hash: (text: string) => string
  readonly skillId: string
  readonly source: string
  readonly settings: ToolSettings
  readonly judge: ToolJudges
  readonly outputSchemas: boolean
}

export type MadeTool =
  | {
      readonly kind: 'made'
      readonly definition: JsonObject
      readonly notes: readonly string[]
      readonly secrets: readonly ToolSecret[]
    }
  | ({ readonly kind: 'refused' } & LeftOut)

/** Makes the definition. Its notes name every part of the operation that the tool does not have. */
export function makeTool(
  document: JsonObject,
  operation: Operation,
  options: ToolOptions,
): MadeTool {
  const remarks: Remarks = { reasons: [], notes: [...operation.notes] }
  const server = chooseServerUrl(document, operation, options, remarks.notes)
  if (!server.ok) return { kind: 'refused', ...server.error }
  if (operation.path.includes('#')) return refuseTool([FRAGMENT])
  const { length } = operation.parameters
  if (length > PARAMETERS_MAX) {
    return refuseTool([`It has ${length} parameters; ${PARAMETERS_MAX} are read.`])
  }
  const security = readCredentials({ document, operation, remarks }, server.value, options)
  if (!security.ok) return refuseTool([security.error])
  const request = makeRequest({ document, operation, remarks }, security.value, options.hash)
  if (remarks.reasons.length > 0) return refuseTool(remarks.reasons)
  const { args, isOpen, needs } = request
  const judge = options.judge.input
  const input = makeInputSchema(document, args, { isOpen, needs, judge, remarks })
  const output = makeOutputSchema(document, operation, options, remarks)
  if (input === undefined || remarks.reasons.length > 0) return refuseTool(remarks.reasons)
  const { settings, skillId, source } = options
  const schemas = output === undefined ? [input] : [input, output]
  const unchecked = schemas.flatMap((schema) => options.judge.notices(schema))
  remarks.notes.push(
    ...unchecked.map(({ message, pointer }) => `The schema at ${pointer} ${message}.`),
  )
  noteUnusedParts(document, operation, remarks)
  const definition = {
    id: skillId,
    source,
    meta: {
      name: writeTitle(operation, remarks),
      description: writeToolDescription(operation, { skillId, settings }, args, remarks),
      ...pickTags(operation, remarks),
      ...(settings.annotations === undefined ? {} : { annotations: settings.annotations }),
      parameters: input,
      ...(output === undefined ? {} : { output_schema: output }),
    },
    config: {
      endpoint: writeEndpoint(server.value, operation, request.pathNames),
      method: operation.method,
      ...request.config,
      ...(settings.timeoutMs === undefined ? {} : { timeout_ms: settings.timeoutMs }),
    },
    credits_per_call: settings.credits ?? null,
  }
  return { kind: 'made', definition, notes: limitNotes(remarks), secrets: security.value.secrets }
}

/** Returns the credentials of the operation's security and of its parameters. */
function readCredentials(
  { document, operation, remarks }: BodyContext,
  baseUrl: string,
  { host, judge, secretNames }: ToolOptions,
): ReturnType<typeof chooseSecurity> {
  const terms: SecurityTerms = {
    baseUrl,
    secretNames,
    remarks,
    host: host === '' ? readHost(baseUrl) : host,
    judge: (config) => judge.config({ ...config, method: operation.method }),
  }
  const security = chooseSecurity(document, operation, terms)
  if (!security.ok) return security
  return { ok: true, value: withParameterSecrets(document, security.value, operation, terms) }
}

const FRAGMENT = 'Its path has a fragment, which is never sent.'

type RequestParts = {
  readonly args: readonly Argument[]
  readonly pathNames: ReadonlyMap<string, string>
  readonly isOpen: boolean
  /** `dependentRequired` of the arguments' schema. */
  readonly needs: JsonObject
  /** Members of the skill's config. */
  readonly config: JsonObject
}

/** Names parameters before members of the body, so that a member gets the changed name. */
function makeRequest(
  context: BodyContext,
  security: ToolSecurity,
  hash: (text: string) => string,
): RequestParts {
  const { operation, remarks } = context
  const media = chooseMedia(context)
  const names = { taken: new Set<string>(), hash }
  const restIsQuery = hasNoBody(operation) || media === undefined
  const parameters = makeParameterArguments({ ...context, security, names, restIsQuery })
  const body = makeBodyArguments(context, media, names)
  const args = [...parameters.args, ...body.args]
  if (args.length > ARGUMENTS_MAX) {
    remarks.reasons.push(`It has over ${ARGUMENTS_MAX} arguments, more than a skill takes.`)
  }
  const contentType = body.contentType === undefined ? {} : { 'content-type': body.contentType }
  const config = {
    ...optionalMember('headers', { ...security.headers, ...contentType }),
    ...optionalMember('query', security.query),
    ...security.config,
    ...writePlaces(args),
    ...(body.bodyAs === undefined ? {} : { body_as: body.bodyAs }),
  }
  const needs = writeNeeds(body)
  return { args, pathNames: parameters.pathNames, isOpen: body.isOpen, needs, config }
}

/**
 * Each argument of an optional body needs the required ones beside it. Too many pairs would fill
 * the schema; then only the note tells them.
 */
function writeNeeds({ args, together }: BodyArguments): JsonObject {
  if (args.length * together.length > NEEDED_PAIRS_MAX) return {}
  const all = args.map(({ name }): [string, Json] => [name, together.filter((one) => one !== name)])
  return Object.fromEntries(all.filter(([, needed]) => Array.isArray(needed) && needed.length > 0))
}

function optionalMember(name: string, members: JsonObject): JsonObject {
  return Object.keys(members).length === 0 ? {} : { [name]: members }
}

function refuseTool(reasons: readonly string[]): MadeTool {
  return { kind: 'refused', code: 'unsupported', reason: reasons.join(' ') }
}

function hasNoBody({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

function makeOutputSchema(
  document: JsonObject,
  operation: Operation,
  { judge, outputSchemas }: ToolOptions,
  remarks: Remarks,
): JsonObject | undefined {
  // If the administrator wants no output schemas, their losses need no notes.
  const own = outputSchemas ? remarks : { ...remarks, notes: [] }
  const output = writeOutputSchema(document, operation, own)
  if (output === undefined || !outputSchemas) return undefined
  const [fault] = judge.output(output)
  if (fault === undefined) return output
  remarks.notes.push(noteLeftOut('The schema of its answer', `${fault.pointer} ${fault.message}`))
  return undefined
}

function writePlaces(args: readonly Argument[]): JsonObject {
  const places = args.flatMap(({ name, place }): readonly [string, Json][] =>
    place === undefined ? [] : [[name, place]],
  )
  return places.length === 0 ? {} : { arguments: Object.fromEntries(places) }
}

function writeEndpoint(
  server: string,
  { path }: Operation,
  pathNames: ReadonlyMap<string, string>,
): string {
  const filled = path.replace(/\{([^{}/?#]+)\}/g, (place, name: string) => {
    const argument = pathNames.get(name)
    return argument === undefined ? place : `{${argument}}`
  })
  return `${server}${filled.startsWith('/') ? '' : '/'}${filled.replaceAll(' ', '%20')}`
}
