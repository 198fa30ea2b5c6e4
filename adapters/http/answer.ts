/**
 * Whole answers on a response stream. Each promise resolves once the bytes were handed over or the
 * peer has left. It never rejects, since the steps after an answer must run either way.
 */
import type { ResponseStream } from './events.ts'
import { GZIP_HEADERS, isGzipped, writeGzipped } from './gzip-answers.ts'
import { type ResponseHeaders, startResponse } from './lambda-stream.ts'
import { textParts, writeParts } from './text-parts.ts'

const NO_STORE = 'no-store'
/** On every answer: no cache may store it, and no browser may guess its type. */
const ALWAYS: ResponseHeaders = {
  'cache-control': NO_STORE,
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

/** An answer that a cache may store is never packed: its copies would need a tag for each encoding. */
export function answerText(
  out: ResponseStream,
  status: number,
  text: string,
  headers: ResponseHeaders,
): Promise<void> {
  const all = { ...ALWAYS, ...headers }
  const gzips = all['cache-control'] === NO_STORE && isGzipped(out, text)
  const answer = startResponse(out, {
    statusCode: status,
    headers: gzips ? { ...all, ...GZIP_HEADERS } : all,
  })
  const done = handedOver(answer)
  if (gzips) writeGzipped(answer, text)
  else writeParts(answer, textParts(text))
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
