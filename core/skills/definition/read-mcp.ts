/**
 * `config.mcp`: the upstream is a tool of the MCP server at `config.endpoint`. All arguments go to
 * the tool, so the fields that place arguments in an HTTP request are refused beside it. Bound by
 * docs/skills.md, Tools of MCP servers.
 */
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { MCP_TOOL_CHARS_MAX, MCP_UPSTREAM_CHARS_MAX } from '../limits.ts'
import type { JobRule, McpTarget, Skill } from '../skill.ts'
import { readToolUi } from '../upstreams/ui-meta.ts'
import {
  addFieldError,
  type Notes,
  readObject,
  readOptionalText,
  readText,
  warnUnknown,
} from './field-notes.ts'
import { listPlaces } from './read-endpoint.ts'

const POINTER = '/config/mcp'
const FIELDS = ['charge_tool_errors', 'idempotent', 'resources', 'tool', 'ui', 'upstream']
const NOT_BESIDE = ['arguments', 'body', 'body_as', 'lambda', 'query']
const NOT_IN_RESPONSE = ['ok_statuses', 'pick', 'show_headers']

/** The target, and the rest of `config` with what it implies. */
export type McpConfig = { readonly target: Pick<Skill, 'mcp'>; readonly rest: JsonObject }

export function readMcp(notes: Notes, raw: JsonObject): McpConfig {
  const { mcp: value } = raw
  if (value === undefined || value === null) return { target: {}, rest: raw }
  const object = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, object, FIELDS)
  refuseBeside(notes, raw)
  const upstreamId = readOptionalText(notes, `${POINTER}/upstream`, object['upstream'], {
    charsMax: MCP_UPSTREAM_CHARS_MAX,
  })
  const mcp: McpTarget = {
    tool: readText(notes, `${POINTER}/tool`, object['tool'], { charsMax: MCP_TOOL_CHARS_MAX }),
    ...(upstreamId === undefined ? {} : { upstreamId }),
    ...(readFlag(notes, object, 'charge_tool_errors') ? { chargesErrors: true } : {}),
    ...(readFlag(notes, object, 'idempotent') ? { isIdempotent: true } : {}),
    ...readOwnResources(notes, object, upstreamId),
  }
  if (mcp.isIdempotent !== true && raw['retries'] !== undefined && raw['retries'] !== 0) {
    const message = 'repeats calls whose answer was lost; set config.mcp.idempotent, or 0'
    addFieldError(notes, '/config/retries', message)
  }
  const response = readObject(notes, '/config/response', raw['response'], 'optional')
  const retries = mcp.isIdempotent === true ? {} : { retries: 0 }
  return {
    target: { mcp },
    rest: { ...raw, ...retries, method: 'POST', response: { ...response, as: 'mcp' } },
  }
}

/** Both need the upstream's id, which stands in the URIs that agents read. */
function readOwnResources(
  notes: Notes,
  object: JsonObject,
  upstreamId: string | undefined,
): Pick<McpTarget, 'hasResources' | 'ui'> {
  const hasResources = readFlag(notes, object, 'resources')
  if (hasResources && upstreamId === undefined) {
    addFieldError(
      notes,
      `${POINTER}/resources`,
      'needs config.mcp.upstream; add it, or remove this',
    )
  }
  const { ui: value } = object
  if (value === undefined || value === null) return hasResources ? { hasResources } : {}
  const sent = readObject(notes, `${POINTER}/ui`, value, 'required')
  warnUnknown(notes, `${POINTER}/ui`, sent, ['resource_uri', 'visibility'])
  const { resource_uri: resourceUri = null, visibility = null } = sent
  const ui = readToolUi({ ui: { resourceUri, visibility } })
  if (ui === undefined) {
    addFieldError(notes, `${POINTER}/ui/resource_uri`, 'must be a URI that begins with ui://')
  }
  return { ...(hasResources ? { hasResources } : {}), ...(ui === undefined ? {} : { ui }) }
}

function refuseBeside(notes: Notes, raw: JsonObject): void {
  for (const name of NOT_BESIDE.filter((one) => isSet(raw, one))) {
    addFieldError(notes, `/config/${name}`, `does not go with config.mcp; ${ALL_TO_TOOL}`)
  }
  const { endpoint, method, response } = raw
  if (typeof endpoint === 'string' && listPlaces(endpoint).length > 0) {
    addFieldError(notes, '/config/endpoint', `has a {name} place beside config.mcp; ${ALL_TO_TOOL}`)
  }
  if (method !== undefined && String(method).toUpperCase() !== 'POST') {
    addFieldError(notes, '/config/method', 'must be POST beside config.mcp; leave it out')
  }
  if (isJsonObject(response)) refuseInResponse(notes, response)
}

function refuseInResponse(notes: Notes, response: JsonObject): void {
  if (isSet(response, 'as') && response['as'] !== 'mcp') {
    addFieldError(notes, '/config/response/as', 'must be "mcp" beside config.mcp; leave it out')
  }
  for (const name of NOT_IN_RESPONSE.filter((one) => isSet(response, one))) {
    const message = 'does not go with config.mcp, whose results have a form of their own; remove it'
    addFieldError(notes, `/config/response/${name}`, message)
  }
}

function isSet(object: JsonObject, name: string): boolean {
  return object[name] !== undefined && object[name] !== null
}

const ALL_TO_TOOL = 'all arguments go to the tool; remove it'

function readFlag(notes: Notes, object: JsonObject, name: string): boolean {
  const { [name]: value = false } = object
  if (typeof value === 'boolean') return value
  addFieldError(notes, `${POINTER}/${name}`, 'must be true or false')
  return false
}

/**
 * How a task of an MCP server is asked about: the adapter sends `tasks/get` and the others in
 * place of the addresses of other jobs, and answers with these members.
 */
export function toMcpJob(endpoint: string, pollMs: number): JobRule {
  return {
    values: { taskId: '/taskId' },
    status: {
      endpoint,
      pointer: '/status',
      done: ['completed'],
      failed: ['failed', 'cancelled'],
      asks: 'input_required',
      message: '/statusMessage',
    },
    answer: { endpoint, method: 'POST' },
    cancel: { endpoint, method: 'POST' },
    pollMs,
  }
}
