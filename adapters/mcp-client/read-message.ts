/**
 * Reads JSON-RPC messages of MCP servers. Numbers that a double would change stay as raw numbers.
 * Text that is unsafe to pass on is not refused here: in a list, it must cost one entry alone.
 */
import { withRawNumbers } from '../../core/json/changed-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { JSON_NAMES_MAX, JSON_PARTS_MAX } from '../../core/json/limits.ts'
import { parseText } from '../../core/json/parse-json.ts'

export type ServerMessage =
  | { readonly kind: 'result'; readonly id: Json | undefined; readonly result: Json }
  | { readonly kind: 'error'; readonly id: Json | undefined; readonly error: ServerError }
  | { readonly kind: 'request'; readonly id: Json; readonly method: string; readonly params: Json }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Json }

export type ServerError = { readonly code: number; readonly message: string; readonly data?: Json }

const LIMITS = {
  subject: 'its answer',
  parts: { partsMax: JSON_PARTS_MAX, namesMax: JSON_NAMES_MAX },
  repeatedNames: 'last',
} as const

/** Returns the messages of a text, several if it is a batch; none of a text without any. */
export function readMessages(text: string): readonly ServerMessage[] {
  const value = readValue(text)
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).flatMap(readMessage)
}

/** Undefined for text that is not JSON, is nested too deep, or has too many parts. */
function readValue(text: string): Json | undefined {
  const parsed = parseText(text, LIMITS)
  if (parsed.ok) return withRawNumbers(text, parsed.value)
  // A refusal with faults is for names or characters; depth and parts were checked before.
  return parsed.error.faults === undefined ? undefined : withRawNumbers(text, JSON.parse(text))
}

function readMessage(value: Json): readonly ServerMessage[] {
  if (!isJsonObject(value)) return []
  const { error, id, method, params = null, result } = value
  if (typeof method === 'string') {
    const isRequest = id !== undefined && id !== null
    return [
      isRequest
        ? { kind: 'request', id, method, params }
        : { kind: 'notification', method, params },
    ]
  }
  if (isJsonObject(error)) return [{ kind: 'error', id, error: readError(error) }]
  return result === undefined ? [] : [{ kind: 'result', id, result }]
}

function readError({ code, data, message }: JsonObject): ServerError {
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  }
}
