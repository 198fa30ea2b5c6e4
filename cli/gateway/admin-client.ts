/** Requests to the admin API. A refusal is thrown as a CommandFault with its words and remedy. */
import { VERSION } from '../../adapters/config/version.ts'
import { type Invocation, isOn } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import { parseExactJson } from './exact-json.ts'
import { fetchAfresh } from './fetch-afresh.ts'
import { type Target, targetOf, URL_VARIABLE } from './target.ts'

export type Fields = { readonly [name: string]: unknown }

export type AdminRequest = {
  readonly method: string
  /** Below the base of the API, with a slash; its segments are encoded. */
  readonly path: string
  readonly query?: { readonly [name: string]: string | undefined }
  /** Text is sent as it is. */
  readonly body?: string | Fields
}

export type AdminAnswer = {
  readonly status: number
  /** Undefined for an empty answer. */
  readonly body: unknown
  /** Seconds after which the gateway wants to see the request again. */
  readonly retryAfterSec?: number
}

export type AdminClient = {
  readonly target: Target
  /** Returns refusals, too, instead of throwing them. */
  exchange(request: AdminRequest): Promise<AdminAnswer>
  /** Throws refusals. */
  send(request: AdminRequest): Promise<Fields>
  /** The answer of a route that sends text, such as CSV. Throws refusals. */
  text(request: AdminRequest): Promise<string>
}

/** Longer than the 29 seconds after which API Gateway gives up. */
const REQUEST_MAX_MS = 40_000

export async function adminClient(call: Invocation): Promise<AdminClient> {
  return clientOf(call, await targetOf(call))
}

export function clientOf(call: Invocation, target: Target): AdminClient {
  const { adminKey, profile } = target
  if (adminKey === undefined || adminKey === '') {
    throw withoutKey(profile)
  }
  const asked = (request: AdminRequest) => requested(call, target.adminUrl, adminKey, request)
  const exchange = async (request: AdminRequest) => answerOf(await asked(request))
  return {
    target,
    exchange,
    send: async (request) => {
      const answer = await exchange(request)
      if (answer.status >= 400) throw refusal(answer)
      return fieldsOf(answer.body)
    },
    text: async (request) => {
      const response = await asked(request)
      if (response.status >= 400) throw refusal(await answerOf(response))
      return response.text()
    },
  }
}

function withoutKey(profile: string): CommandFault {
  const exitCode = EXIT.unauthenticated
  if (profile === URL_VARIABLE) {
    const remedy = `Set SKILLGATE_ADMIN_KEY, or leave ${URL_VARIABLE} out and sign in with skillgate login.`
    return new CommandFault(`${URL_VARIABLE} is set without an admin key.`, { exitCode, remedy })
  }
  const remedy = 'Sign in with skillgate login, or set SKILLGATE_ADMIN_KEY.'
  return new CommandFault(`Profile ${profile} has no admin key.`, { exitCode, remedy })
}

async function answerOf(response: Response): Promise<AdminAnswer> {
  const text = await response.text()
  const retryAfter = response.headers.get('retry-after')
  return {
    status: response.status,
    body: text === '' ? undefined : parsed(text, response),
    ...(retryAfter === null ? {} : { retryAfterSec: Number(retryAfter) }),
  }
}

function requested(
  call: Invocation,
  adminUrl: string,
  adminKey: string,
  { body, method, path, query = {} }: AdminRequest,
): Promise<Response> {
  const url = new URL(adminUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return fetched(call, url, {
    method,
    headers: {
      'X-Admin-Key': adminKey,
      'User-Agent': `skillgate/${VERSION}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** Shared with the MCP client: one place that turns trouble of the network into words. */
export async function fetched(call: Invocation, url: URL, init: RequestInit): Promise<Response> {
  const { shell } = call
  const startedMs = shell.nowMs()
  const timeout = AbortSignal.timeout(REQUEST_MAX_MS)
  try {
    // A redirect could carry the key to another host.
    const signals = init.signal ? [shell.signal, timeout, init.signal] : [shell.signal, timeout]
    const signal = AbortSignal.any(signals)
    const response = await fetchAfresh(url, { redirect: 'manual', ...init, signal })
    if (isOn(call, 'verbose')) {
      const tookMs = shell.nowMs() - startedMs
      shell.err.write(`${init.method} ${url.href} → ${response.status}, ${tookMs} ms\n`)
    }
    return response
  } catch (cause) {
    if (shell.signal.aborted || init.signal?.aborted === true) throw cause
    const why = timeout.aborted ? `no answer in ${REQUEST_MAX_MS / 1_000} s` : reasonOf(cause)
    throw new CommandFault(`${url.origin} cannot be reached: ${why}.`, {
      remedy:
        'Is the gateway running? skillgate doctor looks closer; skillgate profile ls names the others.',
    })
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause
  if (inner instanceof Error && 'code' in inner) return String(inner.code)
  return inner instanceof Error ? inner.message : cause.message
}

function parsed(text: string, { status, url }: Response): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw new CommandFault(
      `${new URL(url).origin} answered ${status} with a text that is not JSON.`,
      {
        remedy: 'Is this the address of the admin API? It ends in /v1/admin.',
      },
    )
  }
}

/** The problem document's detail, or each of its errors, in one line. */
export function refusal({ body, status }: AdminAnswer): CommandFault {
  const problem = fieldsOf(body)
  const detail = problem['detail'] ?? problem['title'] ?? problem['message'] ?? 'no reason given'
  const code = problem['code'] === undefined ? status : `${status} ${problem['code']}`
  if (status === 403) {
    return new CommandFault(`The gateway refuses the request (${code}): ${detail}`, {
      exitCode: EXIT.unauthenticated,
      remedy: 'Use another key: set SKILLGATE_ADMIN_KEY, or sign in with skillgate login.',
    })
  }
  if (status === 401) {
    return new CommandFault(`The gateway refuses the admin key (${code}): ${detail}`, {
      exitCode: EXIT.unauthenticated,
      remedy: 'Sign in again with skillgate login.',
    })
  }
  const again = status === 503 || status === 504 ? 'Send the same command again.' : undefined
  return new CommandFault(`${detail} (${code})`, { remedy: faultsOf(problem) ?? again })
}

/** Where there are several, the detail names the first one only. */
function faultsOf({ errors }: Fields): string | undefined {
  if (!Array.isArray(errors) || errors.length < 2) return undefined
  const lines = errors.map(fieldsOf).map(({ message, pointer }) => `${pointer} ${message}`)
  return lines.join('; ')
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** One segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text)
}
