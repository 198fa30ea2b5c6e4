/**
 * Answers that this gateway's HTTP servers give without a door: a body too large, a stop, a fault.
 */
import type { ServerResponse } from 'node:http'
import { ERRORS, type ErrorCode } from '../../core/errors.ts'

export type HostAnswer = {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly headers?: { readonly [name: string]: string }
}

/** A problem document for an error code. */
export function makeProblemAnswer(
  code: ErrorCode,
  detail: string,
  headers: { readonly [name: string]: string } = {},
): HostAnswer {
  const { status, title } = ERRORS[code]
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code })
  return { status, contentType: 'application/problem+json', body, headers }
}

/** Writes a whole answer. A response that has already begun can only be cut. */
export function sendAnswer(response: ServerResponse, answer: HostAnswer): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
  })
  response.end(answer.body)
}
