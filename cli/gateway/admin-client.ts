/**
 * Sends requests to the admin API. A refusal is thrown as a CommandFault with the gateway's words
 * and a remedy.
 */
import { VERSION } from '../../adapters/config/version.ts'
import type { Invocation } from '../command/command.ts'
import { keepFresh } from '../sign-in/fresh-login.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import { parseExactJson } from './exact-json.ts'
import { explainProblem } from './explain-problem.ts'
import { fetchOrFault } from './fetch-or-fault.ts'
import { findTarget, type Target, URL_VARIABLE } from './target.ts'

export type Fields = { readonly [name: string]: unknown }

export type AdminRequest = {
  readonly method: string
  /** The path below the base of the API. Begins with a slash; its segments are encoded. */
  readonly path: string
  readonly query?: { readonly [name: string]: string | undefined }
  /** A text is sent as it is; fields are sent as JSON. */
  readonly body?: string | Fields
}

export type AdminAnswer = {
  readonly status: number
  /** Undefined if the response is empty. */
  readonly body: unknown
  /** Seconds after which the gateway accepts the request again. */
  readonly retryAfterSec?: number
}

export type AdminClient = {
  readonly target: Target
  /** Returns the response, also if it is a refusal. */
  exchange(request: AdminRequest): Promise<AdminAnswer>
  /** Returns the fields of the response. Throws a CommandFault for a refusal. */
  send(request: AdminRequest): Promise<Fields>
  /**
   * Returns the response of a route that sends text, such as CSV. Throws a CommandFault for a
   * refusal.
   */
  text(request: AdminRequest): Promise<string>
}

/**
 * Returns a client for the gateway of the profile. Throws a CommandFault if the profile has neither
 * an admin key nor a sign-in.
 */
export async function openAdminClient(call: Invocation): Promise<AdminClient> {
  return toAdminClient(call, await findTarget(call))
}

/** Returns a client for `target`. Throws a CommandFault if it has no credential. */
export function toAdminClient(call: Invocation, target: Target): AdminClient {
  const credential = openCredential(call, target)
  const send = async (request: AdminRequest) =>
    sendRequest(call, target.adminUrl, await credential(), request)
  const exchange = async (request: AdminRequest) => readAnswer(await send(request))
  return {
    target,
    exchange,
    send: async (request) => {
      const answer = await exchange(request)
      if (answer.status >= 400) throw toRefusalFault(answer)
      return toFields(answer.body)
    },
    text: async (request) => {
      const response = await send(request)
      if (response.status >= 400) throw toRefusalFault(await readAnswer(response))
      return response.text()
    },
  }
}

/**
 * Returns the function that gives the header of the credential for each request. A sign-in is
 * renewed while a long command runs.
 */
function openCredential(
  call: Invocation,
  { adminKey, login, profile }: Target,
): () => Promise<{ readonly [header: string]: string }> {
  if (adminKey !== undefined && adminKey !== '') {
    return () => Promise.resolve({ 'X-Admin-Key': adminKey })
  }
  if (login === undefined) throw toMissingKeyFault(profile)
  let kept = login
  return async () => {
    kept = await keepFresh(call, profile, kept)
    return { Authorization: `Bearer ${kept.accessToken}` }
  }
}

function toMissingKeyFault(profile: string): CommandFault {
  const exitCode = EXIT.unauthenticated
  if (profile === URL_VARIABLE) {
    const remedy = `Set SKILLGATE_ADMIN_KEY, or leave ${URL_VARIABLE} out and sign in with skillgate login.`
    return new CommandFault(`${URL_VARIABLE} is set without an admin key.`, { exitCode, remedy })
  }
  const remedy = 'Sign in with skillgate login, or set SKILLGATE_ADMIN_KEY.'
  return new CommandFault(`Profile ${profile} has no admin key.`, { exitCode, remedy })
}

async function readAnswer(response: Response): Promise<AdminAnswer> {
  const text = await response.text()
  const retryAfter = response.headers.get('retry-after')
  return {
    status: response.status,
    body: text === '' ? undefined : parseBody(text, response),
    ...(retryAfter === null ? {} : { retryAfterSec: Number(retryAfter) }),
  }
}

function sendRequest(
  call: Invocation,
  adminUrl: string,
  credential: { readonly [header: string]: string },
  { body, method, path, query = {} }: AdminRequest,
): Promise<Response> {
  const url = new URL(adminUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return fetchOrFault(call, url, {
    method,
    headers: {
      ...credential,
      'User-Agent': `skillgate/${VERSION}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

function parseBody(text: string, { status, url }: Response): unknown {
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

/**
 * Turns a refusal into a CommandFault: what happened, each error of a field if there are several,
 * and the command that helps.
 */
export function toRefusalFault({ body, status }: AdminAnswer): CommandFault {
  const problem = toFields(body)
  const { code, remedy: shown } = problem
  const { detail, remedy } = explainProblem(findDetail(problem), shown)
  const details = listErrors(problem)
  const what = details.length === 0 ? detail : `${problem['title']}: ${details.length} errors`
  const about = { status, code: toText(code), callId: toText(problem['callId']), details }
  const name = code === undefined ? status : `${status} ${code}`
  if (status === 403) {
    return new CommandFault(`The gateway refuses the request (${name}): ${what}`, {
      ...about,
      exitCode: EXIT.unauthenticated,
      remedy:
        remedy ?? 'Use another key: set SKILLGATE_ADMIN_KEY, or sign in with skillgate login.',
    })
  }
  if (status === 401) {
    return new CommandFault(`The gateway refuses the credential (${name}): ${what}`, {
      ...about,
      exitCode: EXIT.unauthenticated,
      remedy: remedy ?? 'Sign in again with skillgate login.',
    })
  }
  const again = status === 503 || status === 504 ? 'Send the same command again.' : undefined
  return new CommandFault(`${what} (${name})`, { ...about, remedy: remedy ?? again })
}

/** API Gateway itself answers with `message`. */
function findDetail({ detail, message, title }: Fields): string {
  return toText(detail) ?? toText(title) ?? toText(message) ?? 'no reason given'
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Lists the errors if there are several: the detail has a single one. */
function listErrors({ errors }: Fields): readonly string[] {
  if (!Array.isArray(errors) || errors.length < 2) return []
  return errors.map(toFields).map(({ message, pointer }) => `${pointer || 'body'}: ${message}`)
}

/** Returns the fields of an object; none for any other value. */
export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Returns the fields of each element of a list; none for any other value. */
export function toRows(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}

/** Returns each element of a list as a text; none for any other value. */
export function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Encodes a text as one segment of a path. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text)
}
