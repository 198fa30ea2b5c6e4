/**
 * Parses requests to POST /v1/execute: the body, the terms of the gateway's own functions, and a
 * void. In `input`, capabilities of any name are accepted, because clients define them. All other
 * unknown members are refused, as in the rest of the body.
 */
import { type FieldError, ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { JobErrand } from '../ports/jobs.ts'
import type { CallTerms, ExecuteBody, ExecuteInput } from './execute.ts'
import { IDEMPOTENCY_KEY_CHARS_MAX, isIdempotencyKey } from './idempotency.ts'
import {
  INPUT_CAPABILITIES_MAX,
  INPUT_KEY_CHARS_MAX,
  INPUT_RESPONSES_MAX,
  INPUT_STATE_CHARS_MAX,
  PARAM_HEADERS_CHARS_MAX,
  PARAM_HEADERS_MAX,
} from './limits.ts'
import { decodePercent, PARAM_HEADERS_HEADER, readParamHeaders } from './mirrored-params.ts'

/** Characters. A tool name has at most 128 on the wire, a skill id 200. */
export const SKILL_NAME_CHARS_MAX = 256
/** Unknown fields in one refusal. A body of one megabyte may have 100,000 of them. */
const UNKNOWN_SHOWN_MAX = 10
const CALL_ID = /^[A-Za-z0-9_-]{16,64}$/
const UID = /^[A-Za-z0-9_-]{1,64}$/

export function readExecuteBody(body: Json): Result<ExecuteBody> {
  if (!isJsonObject(body)) {
    return refuse('malformed', 'body: must be a JSON object: {"skill": "…", "arguments": {…}}.')
  }
  const { skill, arguments: args = {}, input: sentInput, ...rest } = body
  const faults: FieldError[] = Object.keys(rest)
    .slice(0, UNKNOWN_SHOWN_MAX)
    .map((name) => ({
      pointer: `/${name.slice(0, 64).toWellFormed()}`,
      message: 'is not a field of this request; it takes skill, arguments and input',
    }))
  if (typeof skill !== 'string' || skill === '') {
    faults.push({ pointer: '/skill', message: 'must be the id of a skill or the name of a tool' })
  } else if (skill.length > SKILL_NAME_CHARS_MAX) {
    faults.push({
      pointer: '/skill',
      message: `must be at most ${SKILL_NAME_CHARS_MAX} characters long`,
    })
  }
  if (!isJsonObject(args)) faults.push({ pointer: '/arguments', message: notArguments(args) })
  const input = readInput(sentInput, faults)
  if (faults.length > 0 || typeof skill !== 'string' || !isJsonObject(args)) {
    const summary = faults.map((fault) => `${fault.pointer}: ${fault.message}`).join('; ')
    return refuse('malformed', summary, { faults })
  }
  return ok(input === undefined ? { skill, arguments: args } : { skill, arguments: args, input })
}

/**
 * Reads the headers of a caller that IAM has authenticated. Call id and deadline come together: a
 * deadline without a call id is a bug. Returns undefined without either.
 */
export function readTerms(
  header: (name: string) => string | undefined,
): Result<CallTerms | undefined> {
  const callId = header('x-skillgate-call-id')
  const deadline = header('x-skillgate-deadline-ms')
  const mirrored = header(PARAM_HEADERS_HEADER)
  const from = readOrigin(header)
  if (callId === undefined && deadline === undefined) return ok(undefined)
  const deadlineMs = Number(deadline)
  if (callId === undefined || !CALL_ID.test(callId) || !Number.isSafeInteger(deadlineMs)) {
    return refuse(
      'malformed',
      'x-skillgate-call-id and x-skillgate-deadline-ms: must come together, a call id and a time in ms.',
    )
  }
  if (mirrored === undefined) return ok({ callId, deadlineMs, ...from })
  const paramHeaders = readParamHeaders(mirrored)
  if (paramHeaders !== undefined) return ok({ callId, deadlineMs, paramHeaders, ...from })
  return refuse(
    'malformed',
    `${PARAM_HEADERS_HEADER}: must be a JSON object of at most ${PARAM_HEADERS_MAX} texts, percent-encoded, ${PARAM_HEADERS_CHARS_MAX} characters in all.`,
  )
}

/** The door that the agent used, in a call of the gateway's own functions. */
export const DOOR_HEADER = 'x-skillgate-door'
/** The agent's client, percent-encoded. */
export const CLIENT_HEADER = 'x-skillgate-client'

/** The id that the agent's own software gave the call; visible ASCII. */
export const CLIENT_CALL_HEADER = 'x-skillgate-client-call'

/** These headers are only for the call's record, so an unknown form is ignored. */
function readOrigin(
  header: (name: string) => string | undefined,
): Pick<CallTerms, 'client' | 'clientCallId' | 'door'> {
  const door = header(DOOR_HEADER)
  const clientCallId = header(CLIENT_CALL_HEADER)
  const client = header(CLIENT_HEADER)
  return {
    ...(door === 'mcp' || door === 'rest' || door === 'sse' ? { door } : {}),
    ...(client === undefined ? {} : { client: decodePercent(client) }),
    ...(clientCallId === undefined ? {} : { clientCallId }),
  }
}

/** Some clients send the arguments as the model wrote them: as JSON in a string. */
function notArguments(sent: Json): string {
  return typeof sent === 'string'
    ? 'was sent as a text; send the JSON object itself, without quotes around it'
    : 'must be an object; leave it out for {}'
}

/** Accepts 1 to 128 visible ASCII characters. Returns undefined without the header. */
export function readIdempotencyKey(header: string | undefined): Result<string | undefined> {
  if (header === undefined || isIdempotencyKey(header)) return ok(header)
  return refuse(
    'malformed',
    `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters without spaces, such as a UUID.`,
  )
}

export function readVoid(
  body: Json,
): Result<{ uid: string; callId: string; reason: 'void' | 'cancelled' | 'crashed' }> {
  if (!isJsonObject(body)) return refuse('malformed', 'body: must be {"uid", "callId", "reason"}.')
  const { uid, callId, reason } = body
  if (typeof uid !== 'string' || !UID.test(uid))
    return refuse('malformed', 'uid: must be a user id.')
  if (typeof callId !== 'string' || !CALL_ID.test(callId))
    return refuse('malformed', 'callId: must be a call id.')
  if (reason !== 'void' && reason !== 'cancelled' && reason !== 'crashed')
    return refuse('malformed', 'reason: must be void, cancelled or crashed.')
  return ok({ uid, callId, reason })
}

/**
 * Reads the body of POST /v1/execute/job: our own functions send it that call no upstream
 * themselves.
 */
export function readJobErrand(body: Json): Result<JobErrand> {
  if (!isJsonObject(body)) return refuse('malformed', 'body: must be {"uid", "callId", "does"}.')
  const { uid, callId, does } = body
  if (typeof uid !== 'string' || !UID.test(uid))
    return refuse('malformed', 'uid: must be a user id.')
  if (typeof callId !== 'string' || !CALL_ID.test(callId))
    return refuse('malformed', 'callId: must be a call id.')
  if (does !== 'ask' && does !== 'end' && does !== 'stop')
    return refuse('malformed', 'does: must be ask, end or stop.')
  return ok({ uid, callId, does })
}

const KNOWN = ['responses', 'state', 'capabilities']
/** Characters of a caller's name that a pointer in a refusal shows. */
const NAME_SHOWN_MAX = 64

/** Returns undefined for an absent or invalid input. Adds errors to `faults`. */
function readInput(value: Json | undefined, faults: FieldError[]): ExecuteInput | undefined {
  if (value === undefined) return undefined
  if (!isJsonObject(value)) {
    faults.push({ pointer: '/input', message: 'must be an object; leave it out for none' })
    return undefined
  }
  const unknown = Object.keys(value).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) {
    const message = `is not a field of input; it takes ${KNOWN.join(', ')}`
    faults.push({ pointer: `/input${pointerTo(unknown)}`, message })
  }
  const { capabilities, responses, state } = value
  const read = {
    ...readObjects(faults, 'responses', responses, INPUT_RESPONSES_MAX),
    ...readObjects(faults, 'capabilities', capabilities, INPUT_CAPABILITIES_MAX),
  }
  if (state === undefined) return read
  if (typeof state === 'string' && state.length <= INPUT_STATE_CHARS_MAX) return { ...read, state }
  const message = `must be the requestState that came with the questions, at most ${INPUT_STATE_CHARS_MAX} characters`
  faults.push({ pointer: '/input/state', message })
  return undefined
}

function readObjects<Name extends 'responses' | 'capabilities'>(
  faults: FieldError[],
  name: Name,
  value: Json | undefined,
  countMax: number,
): { readonly [name in Name]?: JsonObject } {
  if (value === undefined) return {}
  const pointer = `/input/${name}`
  const entries = isJsonObject(value) ? Object.entries(value) : undefined
  if (entries === undefined || entries.length > countMax) {
    faults.push({ pointer, message: `must be an object of at most ${countMax} objects by name` })
    return {}
  }
  for (const [key, member] of entries) {
    const isLong = key.length > INPUT_KEY_CHARS_MAX
    if (!isLong && isJsonObject(member)) continue
    const wrong = isLong
      ? `has a name of over ${INPUT_KEY_CHARS_MAX} characters`
      : 'must be an object'
    faults.push({ pointer: pointer + pointerTo(key), message: wrong })
    return {}
  }
  return { [name]: value } as { readonly [name in Name]?: JsonObject }
}

function pointerTo(name: string): string {
  return toJsonPointer([name.slice(0, NAME_SHOWN_MAX).toWellFormed()])
}
