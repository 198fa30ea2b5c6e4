/**
 * Reads the questions that an upstream with `response.as: "mcp"` asks the agent's client before it
 * answers, and the state that the client returns with its answers. Only known methods are accepted,
 * sizes are limited, and each question is rebuilt from known members. Bound by MCP 2026-07-28,
 * multi round-trip requests, and ADR 0027.
 */
import {
  INPUT_KEY_CHARS_MAX,
  INPUT_REQUESTS_BYTES_MAX,
  INPUT_REQUESTS_MAX,
  INPUT_STATE_BYTES_MAX,
} from '../call/limits.ts'
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import { countBytes } from '../json/text-bytes.ts'

export const INPUT_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const

export type InputMethod = (typeof INPUT_METHODS)[number]

export type InputRequest = { readonly method: InputMethod; readonly params: JsonObject }

export type InputQuestions = {
  readonly inputRequests: { readonly [key: string]: InputRequest }
  /** The upstream's own text, not sealed yet. */
  readonly requestState: string | undefined
}

export const INPUT_REQUIRED = 'input_required'

/** Reads a masked answer. An error is a clause that follows "the answer …". */
export function readInputRequired(value: JsonObject): Result<InputQuestions, string> {
  const { inputRequests, requestState } = value
  const requests = readRequests(inputRequests)
  if (!requests.ok) return requests
  if (requestState !== undefined && typeof requestState !== 'string') {
    return err('at /requestState is not a string')
  }
  if (requestState !== undefined && countBytes(requestState) > INPUT_STATE_BYTES_MAX) {
    return err(`at /requestState has over ${INPUT_STATE_BYTES_MAX} bytes`)
  }
  if (requestState === undefined && Object.keys(requests.value).length === 0) {
    return err('asks for input with neither inputRequests nor requestState')
  }
  return ok({ inputRequests: requests.value, requestState })
}

function readRequests(value: Json | undefined): Result<InputQuestions['inputRequests'], string> {
  if (value === undefined) return ok({})
  if (!isJsonObject(value)) return err('at /inputRequests is not an object')
  const entries = Object.entries(value)
  if (entries.length > INPUT_REQUESTS_MAX) {
    return err(
      `at /inputRequests has ${entries.length} requests; the limit is ${INPUT_REQUESTS_MAX}`,
    )
  }
  if (countBytes(JSON.stringify(value)) > INPUT_REQUESTS_BYTES_MAX) {
    return err(`at /inputRequests has over ${INPUT_REQUESTS_BYTES_MAX} bytes`)
  }
  const requests: [string, InputRequest][] = []
  for (const [key, item] of entries) {
    const request = readRequest(key, item)
    if (!request.ok) return request
    requests.push([key, request.value])
  }
  return ok(Object.fromEntries(requests))
}

function readRequest(key: string, item: Json): Result<InputRequest, string> {
  if (key === '' || key.length > INPUT_KEY_CHARS_MAX) {
    return err(`at /inputRequests has a key that is not 1 to ${INPUT_KEY_CHARS_MAX} characters`)
  }
  const pointer = `/inputRequests${toJsonPointer([key])}`
  if (!isJsonObject(item)) return err(`at ${pointer} is not an object`)
  const method = INPUT_METHODS.find((known) => known === item['method'])
  if (method === undefined) return err(`at ${pointer}/method is not ${INPUT_METHODS.join(', ')}`)
  // `roots/list` is the only one of the three methods whose params are optional in MCP.
  const params = item['params'] ?? (method === 'roots/list' ? {} : undefined)
  if (!isJsonObject(params)) return err(`at ${pointer}/params is not an object`)
  return ok({ method, params })
}
