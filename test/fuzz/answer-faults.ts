/** The faults that no answer of a door may have, whatever the request: each rule is a sentence. */
import { ERRORS } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { CANARIES } from './canaries.ts'
import type { CountedAnswer } from './counted-answer.ts'
import type { OddRequest } from './odd-requests.ts'

/** The failures outside so far: only after one may an answer report it. */
export type Troubles = { readonly hasUpstreamFailed: boolean }

/** A refusal is a text for a person or a model. */
const REFUSAL_CHARS_MAX = 65_536
const RPC_CODES = [-32700, -32600, -32602]
/** More statuses of the door mcp; mcp-faults.ts judges their use. */
const MCP_CODES = [...RPC_CODES, -32601, -32020, -32021, -32022]

export function answerFaults(
  request: OddRequest,
  answer: CountedAnswer,
  troubles: Troubles,
): readonly string[] {
  const { heads, isStream, status, writableEnded } = answer
  const faults: string[] = []
  if (heads !== 1 || answer.faults > 0) faults.push(`there were ${heads} answers`)
  if (!writableEnded && !isStream) faults.push('the answer has no end')
  if (!isDue(status, request, troubles)) faults.push(`status ${status} where none is due`)
  faults.push(...headerFaults(answer), ...canaryFaults(answer))
  return isStream ? faults : [...faults, ...bodyFaults(request, answer)]
}

function headerFaults({ headers }: CountedAnswer): readonly string[] {
  return Object.entries(headers)
    .filter(([name, value]) => !/^[a-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
    .map(([name]) => `a header ${name} that cannot be sent`)
}

/** Unchanged, and in base64. */
function canaryFaults({ headers, text }: CountedAnswer): readonly string[] {
  const answerText = JSON.stringify(headers) + text
  return CANARIES.filter(
    (canary) => answerText.includes(canary) || answerText.includes(hidden(canary)),
  ).map((canary) => `the answer holds ${canary}`)
}

function hidden(canary: string): string {
  return Buffer.from(canary).toString('base64').replace(/=*$/, '')
}

function bodyFaults(request: OddRequest, answer: CountedAnswer): readonly string[] {
  const { headers, status, text } = answer
  const type = headers['content-type'] ?? ''
  const isJson = type.includes('json')
  const body = isJson ? parsed(text) : undefined
  if (isJson && body === undefined) return ['it says JSON and is none']
  const faults: string[] = []
  if (body !== undefined && !isWellFormed(body)) faults.push('half of a surrogate pair is in it')
  if (status >= 400 && text.length > REFUSAL_CHARS_MAX) {
    faults.push(`a refusal of ${text.length} characters`)
  }
  if (status >= 400) faults.push(...refusalFaults(request, status, type, body))
  if (status === 200 && request.path === '/v1/execute') faults.push(...resultFaults(body))
  return faults
}

function isDue(status: number, request: OddRequest, { hasUpstreamFailed }: Troubles): boolean {
  // Over MCP a failure outside is a result.
  if (status === 502) return hasUpstreamFailed && request.door !== 'mcp'
  if (status === 503) return request.isStoreDown
  if (status === 504) {
    return request.door !== 'mcp' && (request.upstream.kind === 'hang' || isLate(request))
  }
  // A call that was voided while it ran: only our own functions learn of it.
  if (status === 499) return request.iam && request.upstream.kind === 'hang'
  return [200, 202, 204].includes(status) || (status >= 400 && status < 499)
}

/** Only our own functions may set a deadline. */
function isLate({ headers, iam }: OddRequest): boolean {
  return iam && headers.some(([name]) => name.toLowerCase() === 'x-skillgate-deadline-ms')
}

function refusalFaults(
  { door }: OddRequest,
  status: number,
  type: string,
  body: Json | undefined,
): readonly string[] {
  if (!isJsonObject(body)) return ['a refusal is no JSON object']
  const rpc = body['error']
  if ((status === 400 || (status === 404 && door === 'mcp')) && isJsonObject(rpc)) {
    const codes = door === 'mcp' ? MCP_CODES : RPC_CODES
    return codes.includes(Number(rpc['code'])) ? [] : ['an unknown JSON-RPC code']
  }
  if (status === 404 && rpc === 'not_found') return []
  return type === 'application/problem+json' ? problemFaults(status, body) : ['no problem document']
}

function problemFaults(status: number, body: JsonObject): readonly string[] {
  const { code, detail, status: statusInBody, title } = body
  const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1]
  if (known === undefined) return [`an unknown code ${String(code)}`]
  const isRight = known.status === status && statusInBody === status && title === known.title
  const isText = typeof detail === 'string' && detail.length > 0
  return isRight && isText ? [] : ['a problem document that does not fit its code']
}

function resultFaults(body: Json | undefined): readonly string[] {
  if (!isJsonObject(body)) return ['a result is no JSON object']
  const { content, credits, isError } = body
  const isResult = Array.isArray(content) && content.length > 0 && isError === false
  const amounts = isJsonObject(credits) ? Object.values(credits).map(Number) : []
  const areAmounts = amounts.length === 3 && amounts.every((one) => one >= 0 && one <= 100)
  return isResult && areAmounts ? [] : ['a result without its parts']
}

/** Undefined: not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, one]) => name.isWellFormed() && isWellFormed(one))
}
