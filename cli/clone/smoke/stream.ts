/**
 * A bare session for the smoke test: the chunks of the stream with their times, and POSTs. Uses
 * node's own client, because an official client hides the chunks and comments that are measured
 * here.
 */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createParser } from 'eventsource-parser'

/** Longest wait for an answer; the gateway ends calls after 15 s. */
const ANSWER_TIMEOUT_MS = 20_000

export type StreamItem = { readonly atMs: number; readonly kind: 'comment' | 'event'; data: string }

export type SmokeStream = {
  readonly status: number
  /** Time from sending the GET to the endpoint event. */
  readonly firstByteMs: number
  readonly postUrl: string
  readonly arrived: readonly StreamItem[]
  post(message: object): Promise<{ status: number; tookMs: number }>
  /**
   * Returns the first item from `index` on for which `fits` is true, or undefined after `withinMs`.
   */
  next(
    index: number,
    fits: (one: StreamItem) => boolean,
    withinMs?: number,
  ): Promise<StreamItem | undefined>
  /** Drops the connection abruptly, as a crashed client does. */
  cut(): void
}

/** Opens the stream. Rejects if the response is no stream, or after 20 s. */
export function openSmokeStream(url: URL, key: string): Promise<SmokeStream> {
  const startedMs = performance.now()
  const arrived: StreamItem[] = []
  const waiting = new Set<() => void>()
  const addItem = (kind: StreamItem['kind'], data: string) => {
    arrived.push({ atMs: performance.now(), kind, data })
    for (const check of waiting) check()
  }
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const request = send(url, { headers, agent: false }, (response) => {
      const status = response.statusCode ?? 0
      response.on('error', () => {})
      if (status !== 200) {
        response.destroy()
        reject(new Error(`GET ${url.pathname} answered ${status}`))
        return
      }
      const parser = createParser({
        onComment: (text) => addItem('comment', text),
        onEvent: ({ event, data }) => {
          if (event !== 'endpoint') return addItem('event', data)
          const postUrl = new URL(data, url).href
          const firstByteMs = performance.now() - startedMs
          resolve({ ...session(postUrl), status, firstByteMs })
        },
      })
      response.setEncoding('utf8')
      response.on('data', (text: string) => parser.feed(text))
    })
    const timeout = setTimeout(
      () => request.destroy(new Error('no stream in 20 s')),
      ANSWER_TIMEOUT_MS,
    )
    request.on('response', () => clearTimeout(timeout))
    request.on('error', reject)
    request.end()

    const session = (postUrl: string) => ({
      postUrl,
      arrived,
      post: (message: object) => post(postUrl, message),
      next: (index: number, fits: (one: StreamItem) => boolean, withinMs = ANSWER_TIMEOUT_MS) =>
        new Promise<StreamItem | undefined>((resolveNext) => {
          const end = (one: StreamItem | undefined) => {
            clearTimeout(timer)
            waiting.delete(check)
            resolveNext(one)
          }
          const check = () => {
            const one = arrived.slice(index).find(fits)
            if (one !== undefined) end(one)
          }
          const timer = setTimeout(() => end(undefined), withinMs)
          waiting.add(check)
          check()
        }),
      cut: () => void request.destroy(),
    })
  })
}

async function post(url: string, message: object): Promise<{ status: number; tookMs: number }> {
  const startedMs = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  })
  await response.arrayBuffer()
  return { status: response.status, tookMs: performance.now() - startedMs }
}
