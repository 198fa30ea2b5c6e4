/** How a skill is run: `config` of the unified JSON (design section 4, Skill config). */
import type { Json, JsonObject } from '../json/json.ts'
import {
  fault,
  type Notes,
  readCount,
  readObject,
  readOptionalText,
  warnUnknown,
} from './field-notes.ts'
import { HOOK_NAMES } from './hook-names.ts'
import {
  HOOK_NAME_CHARS_MAX,
  PICK_CHARS_MAX,
  RESPONSE_BYTES_DEFAULT,
  RESPONSE_BYTES_MAX,
  RETRIES_MAX,
  TIMEOUT_MS_DEFAULT,
  TIMEOUT_MS_MAX,
} from './limits.ts'
import { readAuth } from './read-auth.ts'
import { readEndpoint } from './read-endpoint.ts'
import { readHeaders, readQuery } from './read-pairs.ts'
import type { HttpMethod, Skill } from './skill.ts'
import { type BodyTemplate, parseBody } from './template.ts'

export type Config = Pick<
  Skill,
  | 'endpoint'
  | 'method'
  | 'pluginHook'
  | 'hookOptions'
  | 'auth'
  | 'headers'
  | 'query'
  | 'body'
  | 'retries'
  | 'timeoutMs'
  | 'responseAs'
  | 'responsePick'
  | 'responseBytesMax'
>

const KNOWN = (
  'endpoint method plugin_hook plugin_options headers query body auth retries timeout_ms response ' +
  'max_response_bytes'
).split(' ')
const METHODS: readonly HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const RESPONSE_AS: readonly Skill['responseAs'][] = ['auto', 'json', 'text', 'mcp']
/** Idempotent by RFC 9110 9.2.2: sent again unless the skill says otherwise. */
const IDEMPOTENT: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

export function readConfig(
  notes: Notes,
  value: Json | undefined,
  parameters: JsonObject,
): Config & { raw: JsonObject } {
  const raw = readObject(notes, '/config', value, 'required')
  warnUnknown(notes, '/config', raw, KNOWN)
  // A missing `config` is one fault, not two.
  const inner = value === undefined ? { ...notes, faults: [] } : notes
  const method = readMethod(notes, raw['method'])
  return {
    raw,
    endpoint: readEndpoint(inner, raw['endpoint'], parameters),
    method,
    pluginHook: readHook(notes, raw['plugin_hook']),
    hookOptions: readObject(notes, '/config/plugin_options', raw['plugin_options'], 'optional'),
    auth: readAuth(notes, raw['auth']),
    headers: readHeaders(notes, raw['headers']),
    query: readQuery(notes, raw['query']),
    body: readBody(notes, raw['body'], method),
    retries: readRetries(notes, raw['retries'], method),
    timeoutMs: readCount(notes, '/config/timeout_ms', raw['timeout_ms'], {
      max: TIMEOUT_MS_MAX,
      otherwise: TIMEOUT_MS_DEFAULT,
    }),
    ...readResponse(notes, raw['response']),
    responseBytesMax: readCount(notes, '/config/max_response_bytes', raw['max_response_bytes'], {
      max: RESPONSE_BYTES_MAX,
      otherwise: RESPONSE_BYTES_DEFAULT,
    }),
  }
}

function readMethod(notes: Notes, value: Json | undefined): HttpMethod {
  if (value === undefined) return 'GET'
  const upper = typeof value === 'string' ? value.toUpperCase() : ''
  const method = METHODS.find((known) => known === upper)
  if (method === undefined) fault(notes, '/config/method', `must be one of ${METHODS.join(', ')}`)
  return method ?? 'GET'
}

/** One that this build does not know: the skill is stored, not listed, and refused without charge. */
function readHook(notes: Notes, value: Json | undefined): string | undefined {
  const rule = { charsMax: HOOK_NAME_CHARS_MAX }
  const hook = readOptionalText(notes, '/config/plugin_hook', value, rule)
  if (hook === undefined) return undefined
  if (!HOOK_NAMES.includes(hook)) notes.notYet.push(`/config/plugin_hook: no hook ${hook}`)
  return hook
}

function readBody(
  notes: Notes,
  value: Json | undefined,
  method: HttpMethod,
): BodyTemplate | undefined {
  if (value === undefined) return undefined
  const pointer = '/config/body'
  if (method === 'GET' || method === 'HEAD') {
    fault(notes, pointer, `does not go with ${method}; use query, or another method`)
    return undefined
  }
  const parsed = parseBody(value)
  if ('body' in parsed) return parsed.body
  fault(notes, `${pointer}${parsed.pointer}`, parsed.wrong)
  return undefined
}

function readRetries(notes: Notes, value: Json | undefined, method: HttpMethod): number {
  if (value === undefined) return IDEMPOTENT.has(method) ? RETRIES_MAX : 0
  if (typeof value === 'number' && [0, 1, 2].includes(value)) return value
  fault(notes, '/config/retries', `must be a whole number from 0 to ${RETRIES_MAX}`)
  return 0
}

function readResponse(
  notes: Notes,
  value: Json | undefined,
): Pick<Skill, 'responseAs' | 'responsePick'> {
  const pointer = '/config/response'
  const raw = readObject(notes, pointer, value, 'optional')
  warnUnknown(notes, pointer, raw, ['as', 'pick'])
  const as = raw['as'] === undefined ? 'auto' : RESPONSE_AS.find((known) => known === raw['as'])
  if (as === undefined) fault(notes, `${pointer}/as`, `must be one of ${RESPONSE_AS.join(', ')}`)
  return { responseAs: as ?? 'auto', responsePick: readPick(notes, raw['pick'], as) }
}

/** RFC 6901: '' is the whole, so it is the same as none. */
function readPick(
  notes: Notes,
  value: Json | undefined,
  as: Skill['responseAs'] | undefined,
): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const pointer = '/config/response/pick'
  const isPointer =
    typeof value === 'string' &&
    value.length <= PICK_CHARS_MAX &&
    /^(?:\/(?:[^~/]|~[01])*)+$/.test(value)
  if (!isPointer) {
    fault(
      notes,
      pointer,
      `must be a JSON Pointer such as /data/items, ${PICK_CHARS_MAX} characters at most`,
    )
    return undefined
  }
  if (as === 'text') fault(notes, pointer, 'does not go with "as": "text"; use json or auto')
  return value
}
