/** How a skill is run: `config` of the unified JSON. What later builds do is kept and noted. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import {
  EMPTY,
  fault,
  type Notes,
  readCount,
  readObject,
  readOptionalText,
  warnUnknown,
} from './field-notes.ts'
import {
  HOOK_NAME_CHARS_MAX,
  RESPONSE_BYTES_DEFAULT,
  RESPONSE_BYTES_MAX,
  TIMEOUT_MS_DEFAULT,
  TIMEOUT_MS_MAX,
} from './limits.ts'
import { readEndpoint } from './read-endpoint.ts'
import { readHeaders, readQuery } from './read-pairs.ts'
import type { HttpMethod, Skill } from './skill.ts'

export type Config = Pick<
  Skill,
  | 'endpoint'
  | 'method'
  | 'pluginHook'
  | 'headers'
  | 'query'
  | 'body'
  | 'timeoutMs'
  | 'responseAs'
  | 'responseBytesMax'
>

const KNOWN =
  'endpoint method plugin_hook headers query body auth timeout_ms response max_response_bytes'.split(
    ' ',
  )
const METHODS: readonly HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const RESPONSE_AS: readonly Skill['responseAs'][] = ['auto', 'json', 'text']

export function readConfig(
  notes: Notes,
  value: Json | undefined,
  parameters: JsonObject,
): Config & { raw: JsonObject } {
  const raw = readObject(notes, '/config', value, 'required')
  warnUnknown(notes, '/config', raw, KNOWN)
  noteLater(notes, raw)
  // A missing `config` is one fault, not two.
  const inner = value === undefined ? { ...notes, faults: [] } : notes
  return {
    raw,
    endpoint: readEndpoint(inner, raw['endpoint'], parameters),
    method: readMethod(notes, raw['method']),
    pluginHook: readHook(notes, raw['plugin_hook']),
    headers: readHeaders(notes, raw['headers']),
    query: readQuery(notes, raw['query']),
    body: raw['body'],
    timeoutMs: readCount(notes, '/config/timeout_ms', raw['timeout_ms'], {
      max: TIMEOUT_MS_MAX,
      otherwise: TIMEOUT_MS_DEFAULT,
    }),
    responseAs: readResponse(notes, raw['response']),
    responseBytesMax: readCount(notes, '/config/max_response_bytes', raw['max_response_bytes'], {
      max: RESPONSE_BYTES_MAX,
      otherwise: RESPONSE_BYTES_DEFAULT,
    }),
  }
}

function noteLater(notes: Notes, raw: JsonObject): void {
  for (const name of ['auth', 'body']) {
    if (raw[name] !== undefined && raw[name] !== null) notes.notYet.push(`/config/${name}`)
  }
}

function readMethod(notes: Notes, value: Json | undefined): HttpMethod {
  if (value === undefined) return 'GET'
  const upper = typeof value === 'string' ? value.toUpperCase() : ''
  const method = METHODS.find((known) => known === upper)
  if (method === undefined) fault(notes, '/config/method', `must be one of ${METHODS.join(', ')}`)
  return method ?? 'GET'
}

/** No hook is in this build: the skill is stored, not listed, and refused without charge. */
function readHook(notes: Notes, value: Json | undefined): string | undefined {
  const rule = { charsMax: HOOK_NAME_CHARS_MAX }
  const hook = readOptionalText(notes, '/config/plugin_hook', value, rule)
  if (hook === undefined || hook === '') return undefined
  notes.notYet.push(`/config/plugin_hook: no hook ${hook}`)
  return hook
}

function readResponse(notes: Notes, value: Json | undefined): Skill['responseAs'] {
  if (value === undefined) return 'auto'
  const pointer = '/config/response'
  if (!isJsonObject(value)) {
    fault(notes, pointer, 'is not an object; send {"as": "auto"}')
    return 'auto'
  }
  const raw = isJsonObject(value) ? value : EMPTY
  warnUnknown(notes, pointer, raw, ['as', 'pick'])
  if (raw['pick'] !== undefined) {
    fault(notes, `${pointer}/pick`, 'is not in this build yet; leave it out')
  }
  const as = raw['as'] === undefined ? 'auto' : RESPONSE_AS.find((known) => known === raw['as'])
  if (as === undefined) {
    const later = raw['as'] === 'mcp' ? ' ("mcp" is not in this build yet)' : ''
    fault(notes, `${pointer}/as`, `must be one of ${RESPONSE_AS.join(', ')}${later}`)
  }
  return as ?? 'auto'
}
