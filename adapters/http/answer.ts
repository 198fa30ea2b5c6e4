/**
 * Whole answers on a response stream. Each promise resolves once the bytes were handed over or the
 * peer has left. It never rejects, since the steps after an answer must run either way.
 */
import type { ResponseStream } from './events.ts'
import { type ResponseHeaders, startResponse } from './lambda-stream.ts'

/** On every answer: no cache may store it, and no browser may guess its type. */
const ALWAYS: ResponseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** `headers` (lower-case names) may set another content-type than application/json. */
export function answerJson(
  out: ResponseStream,
  status: number,
  body: object,
  headers: ResponseHeaders = {},
): Promise<void> {
  return answerText(out, status, JSON.stringify(body), {
    'content-type': 'application/json; charset=utf-8',
    ...headers,
  })
}

export function answerEmpty(
  out: ResponseStream,
  status: number,
  headers: ResponseHeaders = {},
): Promise<void> {
  return answerText(out, status, '', headers)
}

export function answerText(
  out: ResponseStream,
  status: number,
  text: string,
  headers: ResponseHeaders,
): Promise<void> {
  const answer = startResponse(out, { statusCode: status, headers: { ...ALWAYS, ...headers } })
  const done = handedOver(answer)
  // Written even when empty: the status leaves with a write, never with `end` alone.
  answer.write(text)
  answer.end()
  return done
}

/** Resolves on finish, close or error, whichever comes first. */
export function handedOver(out: ResponseStream): Promise<void> {
  if (out.writableFinished || out.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    out.once('finish', () => resolve())
    out.once('close', () => resolve())
    // `on`, not `once`: a second error must not become an uncaught one.
    out.on('error', () => resolve())
  })
}
