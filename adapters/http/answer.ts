/**
 * Whole answers on a response stream. Each promise resolves once the bytes were handed over or the
 * peer has left. It never rejects, since the steps after an answer must run either way.
 */
import type { ResponseStream } from './events.ts'
import { type ResponseHeaders, startResponse } from './lambda-stream.ts'
import { textParts } from './text-parts.ts'

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
  writeFrom(answer, textParts(text), 0)
  return done
}

/**
 * The first part is written at once, even when it is empty: the status leaves with a write, never with `end`
 * alone. Each further part waits until the peer has taken those before it.
 */
function writeFrom(out: ResponseStream, parts: readonly string[], first: number): void {
  for (let at = first; at < parts.length; at += 1) {
    if (out.destroyed) return
    const isTaken = out.write(parts[at] ?? '')
    if (isTaken || at + 1 === parts.length) continue
    return void out.once('drain', () => writeFrom(out, parts, at + 1))
  }
  out.end()
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
