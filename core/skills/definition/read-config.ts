/**
 * Reads `config` of the unified JSON, which says how a skill runs (docs/service.md, Skill config).
 */
import type { Json, JsonObject } from '../../json/json.ts'
import {
  RESPONSE_BYTES_DEFAULT,
  RESPONSE_BYTES_MAX,
  RETRIES_MAX,
  TIMEOUT_MS_DEFAULT,
  TIMEOUT_MS_MAX,
} from '../limits.ts'
import type { HttpMethod, Skill } from '../skill.ts'
import { findBodyEncoding } from './body-encoding.ts'
import { addFieldError, type Notes, readCount, readObject, warnUnknown } from './field-notes.ts'
import { readArguments } from './read-arguments.ts'
import { readAuth } from './read-auth.ts'
import { readBody } from './read-body.ts'
import { readEndpoint } from './read-endpoint.ts'
import { readHooks } from './read-hooks.ts'
import { readLambda } from './read-lambda.ts'
import { readMcp } from './read-mcp.ts'
import { readOAuthHook } from './read-oauth.ts'
import { readHeaders, readQuery } from './read-pairs.ts'
import { readRepeat } from './read-repeat.ts'
import { checkResponseBytes, readResponse } from './read-response.ts'
import { isSigned } from './read-signing.ts'
import { readTask } from './read-task.ts'
import { warnPlaces } from './warn-places.ts'

export type Config = Pick<
  Skill,
  | 'endpoint'
  | 'method'
  | 'hooks'
  | 'auth'
  | 'signing'
  | 'headers'
  | 'query'
  | 'body'
  | 'bodyEncoding'
  | 'retries'
  | 'timeoutMs'
  | 'repeat'
  | 'task'
  | 'responseAs'
  | 'responseKeep'
  | 'responsePick'
  | 'failIf'
  | 'okStatuses'
  | 'shownHeaders'
  | 'responseBytesMax'
  | 'places'
  | 'bodyAs'
  | 'lambda'
  | 'mcp'
>

export const CONFIG_FIELDS: readonly string[] = (
  'endpoint method plugin_hook plugin_options plugin_hooks headers query body body_as arguments auth ' +
  'retries timeout_ms repeat task response max_response_bytes lambda mcp'
).split(' ')
const METHODS: readonly HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Idempotent methods (RFC 9110 section 9.2.2), which are repeated by default. */
const IDEMPOTENT: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

export function readConfig(
  notes: Notes,
  value: Json | undefined,
  parameters: JsonObject,
): Config & { raw: JsonObject } {
  const given = readObject(notes, '/config', value, 'required')
  warnUnknown(notes, '/config', given, CONFIG_FIELDS)
  const { rest: raw, target } = readMcp(notes, given)
  // A missing `config` is one error, not one for each missing member.
  const inner = value === undefined ? { ...notes, faults: [] } : notes
  const invoked = readLambda(notes, raw)
  const endpoint = invoked?.endpoint ?? readEndpoint(inner, raw['endpoint'], parameters)
  const method = invoked === undefined ? readMethod(notes, raw['method']) : 'POST'
  const sent =
    invoked === undefined
      ? { body: raw['body'], at: '/config/body' }
      : { body: invoked.payload, at: '/config/lambda/payload' }
  const headers = readHeaders(notes, raw['headers'], isSigned(raw['auth']))
  const query = readQuery(notes, raw['query'])
  const contentType = headers['content-type']
  // Tokens for an MCP server are for its URL, those for an API are for its host.
  const defaultResource = raw['mcp'] === undefined ? toOrigin(endpoint) : endpoint
  warnPlaces(notes, { ...raw, body: sent.body ?? null }, { at: sent.at, method, parameters })
  const config = {
    raw: given,
    ...target,
    endpoint,
    method,
    hooks: [...readOAuthHook(raw['auth']), ...readHooks(notes, raw)],
    ...readAuth(notes, raw['auth'], { headers, query, defaultResource }),
    headers,
    query,
    body: readBody(notes, sent.body, { method, contentType, pointer: sent.at }),
    bodyEncoding: findBodyEncoding(contentType),
    ...(invoked === undefined ? readArguments(notes, raw, method) : { lambda: invoked.lambda }),
    retries: readRetries(notes, raw['retries'], method),
    timeoutMs: readCount(notes, '/config/timeout_ms', raw['timeout_ms'], {
      max: TIMEOUT_MS_MAX,
      otherwise: TIMEOUT_MS_DEFAULT,
    }),
    ...readRepeat(notes, raw['repeat']),
    ...readTask(notes, raw['task'], { endpoint, method, ...target }),
    ...readResponse(notes, raw['response'], method),
    responseBytesMax: readCount(notes, '/config/max_response_bytes', raw['max_response_bytes'], {
      max: RESPONSE_BYTES_MAX,
      otherwise: RESPONSE_BYTES_DEFAULT,
    }),
  }
  checkResponseBytes(notes, config)
  return config
}

function toOrigin(endpoint: string): string {
  return URL.parse(endpoint)?.origin ?? endpoint
}

function readMethod(notes: Notes, value: Json | undefined): HttpMethod {
  if (value === undefined) return 'GET'
  const upper = typeof value === 'string' ? value.toUpperCase() : ''
  const method = METHODS.find((known) => known === upper)
  if (method === undefined)
    addFieldError(notes, '/config/method', `must be one of ${METHODS.join(', ')}`)
  return method ?? 'GET'
}

function readRetries(notes: Notes, value: Json | undefined, method: HttpMethod): number {
  if (value === undefined) return IDEMPOTENT.has(method) ? RETRIES_MAX : 0
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= RETRIES_MAX) {
    return value
  }
  addFieldError(notes, '/config/retries', `must be a whole number from 0 to ${RETRIES_MAX}`)
  return 0
}
