/**
 * A session without a client library: the stream's own bytes with their times, and POSTs of any
 * text. For messages that an official client would hide or never send.
 */
import { get } from 'node:http'
import { createParser } from 'eventsource-parser'
import { type HttpAnswer, send } from './http.ts'
import { PATIENCE_MS } from './wait.ts'

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'

export type Piece = { readonly atMs: number; readonly text: string }

export type RawSession = {
  /** Absolute URL of the endpoint event. */
  readonly postUrl: string
  /** The chunks as they came. */
  readonly pieces: readonly Piece[]
  /** Data of the message events so far, but for news of the list: a twin that has just started sends it. */
  readonly messages: readonly string[]
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  post(
    text: string | Uint8Array,
    headers?: { readonly [name: string]: string },
  ): Promise<HttpAnswer>
  /** The first message event that `fits`, past or future. */
  message(fits: (data: string) => boolean, withinMs?: number): Promise<string>
  /** Drops the connection. */
  close(): void
}

export function openRawSession(sse: string, key?: string): Promise<RawSession> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const pieces: Piece[] = []
  const messages: string[] = []
  const waiting = new Set<() => void>()
  return new Promise((resolve, reject) => {
    const request = get(sse, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
      const ended = new Promise<void>((done) => response.once('close', done))
      // A test may cut the connection: that is no error.
      response.on('error', () => {})
      const parser = createParser({
        onEvent: ({ event, data }) => {
          if (event === 'endpoint') resolve(session(new URL(data, sse).href, ended))
          else if (data !== LIST_CHANGED) messages.push(data)
          for (const look of waiting) look()
        },
      })
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        pieces.push({ atMs: performance.now(), text })
        parser.feed(text)
      })
    })
    request.on('error', reject)

    const session = (postUrl: string, ended: Promise<void>): RawSession => ({
      postUrl,
      pieces,
      messages,
      ended,
      post: (body, more = {}) =>
        send(postUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...more },
          body,
        }),
      message: (fits, withinMs = PATIENCE_MS) =>
        new Promise((found, missed) => {
          const timer = setTimeout(() => {
            waiting.delete(look)
            missed(
              new Error(`no such message within ${withinMs} ms; there are: ${messages.join('\n')}`),
            )
          }, withinMs)
          const look = () => {
            const data = messages.find(fits)
            if (data === undefined) return
            clearTimeout(timer)
            waiting.delete(look)
            found(data)
          }
          waiting.add(look)
          look()
        }),
      close: () => {
        request.destroy()
      },
    })
  })
}
