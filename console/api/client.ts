/**
 * Requests to the APIs of the gateway, which stand beside the console: `../admin` and `../me`. An
 * answer of 400 and above is thrown as an ApiError with the gateway's words.
 */

import { readCredential, signOut } from '../shell/session.ts'
import type { FieldError } from './field-error.ts'

export class ApiError extends Error {
  readonly status: number
  readonly code: string | undefined
  readonly errors: readonly FieldError[]
  /** The body of the answer; empty if none came. */
  readonly problem: Record<string, unknown>

  constructor(status: number, problem: Record<string, unknown>) {
    super(toText(problem['detail'] ?? problem['title'] ?? `The gateway answered ${status}.`))
    this.name = 'ApiError'
    this.status = status
    this.problem = problem
    this.code = typeof problem['code'] === 'string' ? problem['code'] : undefined
    const { errors } = problem
    this.errors = Array.isArray(errors) ? errors : []
  }
}

export type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string
  readonly contentType?: string
  /** Of a call: the same call with the same key is made and charged once. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal
  /** Sent even if the page is left meanwhile. */
  readonly keepalive?: boolean
}

/** Sends a request to a path such as `admin/users` or `me/balance`, and returns the JSON. */
export async function ask<T>(path: string, request: ApiRequest = {}): Promise<T> {
  const text = await askText(path, request)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** The same for an answer that is text, such as CSV. */
export async function askText(path: string, request: ApiRequest = {}): Promise<string> {
  const headers = await readCredential()
  const response = await send(path, request, headers)
  const text = await response.text()
  if (response.ok) return text
  if (response.status === 401)
    signOut('The gateway no longer accepts your sign-in or key. Sign in again.')
  throw new ApiError(response.status, parseProblem(text))
}

/** Sends a request with these headers as its credential, for a sign-in. */
export async function tryCredential<T>(
  path: string,
  headers: { readonly [header: string]: string },
  request: ApiRequest = {},
): Promise<T> {
  const response = await send(path, request, headers)
  const text = await response.text()
  if (!response.ok) throw new ApiError(response.status, parseProblem(text))
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Encodes a text as one segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text)
}

async function send(
  path: string,
  request: ApiRequest,
  credential: { readonly [header: string]: string },
): Promise<Response> {
  try {
    return await fetch(toUrl(path, request.query), toInit(request, credential))
  } catch (cause) {
    if (request.signal?.aborted === true) throw cause
    throw new ApiError(0, { detail: 'The gateway does not answer. Is your network up?' })
  }
}

/** The APIs are beside the folder of this page. */
function toUrl(path: string, query: ApiRequest['query'] = {}): URL {
  const url = new URL(`../${path}`, document.baseURI.replace(/[?#].*$/, ''))
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url
}

function toInit(request: ApiRequest, credential: { readonly [header: string]: string }) {
  const { body, contentType = 'application/json', idempotencyKey, signal } = request
  const { keepalive = false, method = 'GET' } = request
  const init: RequestInit = { method, credentials: 'omit', keepalive, redirect: 'error' }
  if (signal !== undefined) init.signal = signal
  if (body === undefined) return { ...init, headers: credential }
  return {
    ...init,
    headers: {
      ...credential,
      'Content-Type': contentType,
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

function parseProblem(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
