/** One operation as a skill's unified JSON, or the reasons why it cannot be one. */
import type { Json, JsonObject } from '../json/json.ts'
import type { Argument, Remarks } from './argument.ts'
import { shortened, textOf } from './fields.ts'
import { inputSchemaOf, type SchemaJudges } from './input-schema.ts'
import {
  ARGUMENTS_MAX,
  PARAMETERS_MAX,
  SKILL_NAME_CHARS_MAX,
  TOOL_DESCRIPTION_CHARS_MAX,
} from './limits.ts'
import type { Operation } from './operation.ts'
import { parameterArguments } from './parameters.ts'
import { type BodyContext, bodyArguments, requestMedia } from './request-body.ts'
import { outputSchemaOf } from './response.ts'
import { securityOf, type ToolSecret, type ToolSecurity } from './security.ts'
import { type ServerOptions, serverUrlOf } from './server-url.ts'
import type { ToolSettings } from './tool-settings.ts'

export type ToolOptions = ServerOptions & {
  /** Prefix of the import; secrets begin with it. */
  readonly api: string
  readonly skillId: string
  readonly source: string
  readonly settings: ToolSettings
  readonly judge: SchemaJudges
  readonly outputSchemas: boolean
}

export type MadeTool =
  | {
      readonly kind: 'made'
      readonly definition: JsonObject
      readonly notes: readonly string[]
      readonly secrets: readonly ToolSecret[]
    }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }

export function makeTool(
  document: JsonObject,
  operation: Operation,
  options: ToolOptions,
): MadeTool {
  const server = serverUrlOf(document, operation, options)
  if (!server.ok) return refused([server.error])
  const security = securityOf(document, operation, { api: options.api, baseUrl: server.value })
  if (!security.ok) return refused([security.error])
  if (operation.path.includes('#')) return refused([FRAGMENT])
  const { length } = operation.parameters
  if (length > PARAMETERS_MAX) {
    return refused([`It has ${length} parameters; ${PARAMETERS_MAX} are read.`])
  }
  const remarks: Remarks = { reasons: [], notes: [] }
  const request = requestOf({ document, operation, remarks }, security.value)
  if (remarks.reasons.length > 0) return refused(remarks.reasons)
  const { args, isOpen } = request
  const input = inputSchemaOf(document, args, { isOpen, judge: options.judge.input, remarks })
  const output = outputOf(document, operation, options, remarks)
  if (input === undefined || remarks.reasons.length > 0) return refused(remarks.reasons)
  const { settings, skillId, source } = options
  const definition = {
    id: skillId,
    source,
    meta: {
      name: titleOf(operation),
      description: descriptionOf(operation, settings, args),
      ...tagsOf(operation),
      parameters: input,
      ...(output === undefined ? {} : { output_schema: output }),
    },
    config: {
      endpoint: endpointOf(server.value, operation, request.pathNames),
      method: operation.method,
      ...request.config,
      ...(settings.timeoutMs === undefined ? {} : { timeout_ms: settings.timeoutMs }),
    },
    credits_per_call: settings.credits ?? null,
  }
  return { kind: 'made', definition, notes: remarks.notes, secrets: security.value.secrets }
}

const FRAGMENT = 'Its path has a fragment, which is never sent.'

type RequestParts = {
  readonly args: readonly Argument[]
  readonly pathNames: ReadonlyMap<string, string>
  readonly isOpen: boolean
  /** Members of the skill's config. */
  readonly config: JsonObject
}

/** Parameters are named before the members of the body, so that these give way. */
function requestOf(context: BodyContext, security: ToolSecurity): RequestParts {
  const { operation, remarks } = context
  const media = requestMedia(context)
  const taken = new Set<string>()
  const restIsQuery = isBodiless(operation) || media === undefined
  const parameters = parameterArguments({ ...context, security, taken, restIsQuery })
  const body = bodyArguments(context, media, taken)
  const args = [...parameters.args, ...body.args]
  if (args.length > ARGUMENTS_MAX) {
    remarks.reasons.push(`It has ${args.length} arguments; a skill takes ${ARGUMENTS_MAX}.`)
  }
  const contentType = body.contentType === undefined ? {} : { 'content-type': body.contentType }
  const config = {
    ...optional('headers', { ...security.headers, ...contentType }),
    ...optional('query', security.query),
    ...security.config,
    ...placesOf(args),
    ...(body.bodyAs === undefined ? {} : { body_as: body.bodyAs }),
  }
  return { args, pathNames: parameters.pathNames, isOpen: body.isOpen, config }
}

function optional(name: string, members: JsonObject): JsonObject {
  return Object.keys(members).length === 0 ? {} : { [name]: members }
}

function refused(reasons: readonly string[]): MadeTool {
  return { kind: 'refused', reasons }
}

function isBodiless({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

function outputOf(
  document: JsonObject,
  operation: Operation,
  { judge, outputSchemas }: ToolOptions,
  remarks: Remarks,
): JsonObject | undefined {
  const output = outputSchemaOf(document, operation, remarks)
  if (output === undefined || !outputSchemas) return undefined
  const [fault] = judge.output(output)
  if (fault === undefined) return output
  remarks.notes.push(`The schema of its answer is left out: ${fault.pointer} ${fault.message}.`)
  return undefined
}

function placesOf(args: readonly Argument[]): JsonObject {
  const places = args.flatMap(({ name, place }): readonly [string, Json][] =>
    place === undefined ? [] : [[name, place]],
  )
  return places.length === 0 ? {} : { arguments: Object.fromEntries(places) }
}

function endpointOf(
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

function titleOf({ key, operationId, raw }: Operation): string {
  const title = textOf(raw['summary']) ?? operationId ?? key
  return shortened(title.replace(/\s+/g, ' '), SKILL_NAME_CHARS_MAX)
}

const PAGE_ARGUMENT = /^(?:page|cursor|offset|page_?token|next_?token|starting_after)$/i

function descriptionOf(
  { key, raw }: Operation,
  { description }: ToolSettings,
  args: readonly Argument[],
): string {
  if (description !== undefined) return shortened(description, TOOL_DESCRIPTION_CHARS_MAX)
  const summary = textOf(raw['summary'])
  const text = textOf(raw['description'])
  const both = [summary, text === summary ? undefined : text].filter((one) => one !== undefined)
  const page = args.find(({ name }) => PAGE_ARGUMENT.test(name))
  const note =
    page === undefined ? '' : `\n\nAnswers come in pages; ask for the next one with ${page.name}.`
  const whole = both.join('\n\n') || key
  return `${shortened(whole, TOOL_DESCRIPTION_CHARS_MAX - note.length)}${note}`
}

const TAGS_MAX = 8
const TAG_CHARS_MAX = 64
/** Tags of a skill that change how clients treat it; a document's tag of that name means something else. */
const MEANT_TAGS = new Set(['read-only', 'destructive', 'idempotent'])

function tagsOf({ tags }: Operation): JsonObject {
  const shortTags = tags
    .map((tag) => shortened(tag.replace(/\s+/g, ' '), TAG_CHARS_MAX))
    .filter((tag) => tag !== '' && !MEANT_TAGS.has(tag.toLowerCase()))
  return shortTags.length === 0 ? {} : { tags: [...new Set(shortTags)].slice(0, TAGS_MAX) }
}
