/**
 * The response stream that a handler gets from the twin: bytes go straight to the HTTP response,
 * with back-pressure, and `close` says that the agent is gone or the twin is stopping. Decides
 * nothing about what is written.
 */
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import type { ResponseHead } from '../adapters/http/events.ts'
import { problemAnswer, sendAnswer } from './host-answers.ts'

type Done = (cause?: Error | null) => void

/** To whoever waits for an answer when the twin stops. */
const UNANSWERED = problemAnswer(
  'store_unavailable',
  'The twin stopped before it had answered. What the call held is given back; send it again.',
  { 'retry-after': '1' },
)

/** Chunks from this size on were never reported as held by the platform (reference/aws.md, 0.3). */
const HELD_BYTES_MAX = 100_000

export class LocalResponseStream extends Writable {
  readonly #response: ServerResponse
  readonly #holdLastChunk: boolean
  #head: ResponseHead = {
    statusCode: 200,
    headers: { 'content-type': 'application/octet-stream' },
  }
  #held: Buffer | undefined

  constructor(response: ServerResponse, options: { holdLastChunk: boolean }) {
    super({ decodeStrings: true })
    this.#response = response
    this.#holdLastChunk = options.holdLastChunk
    // Writes after the agent left are no news: `close` told the door.
    this.on('error', () => {})
    response.on('error', () => {})
    response.once('close', () => this.destroy())
  }

  /** Sent with the first bytes, as on AWS. */
  setHead(head: ResponseHead): void {
    this.#head = head
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    const passes = !this.#holdLastChunk || chunk.length > HELD_BYTES_MAX
    const due = passes ? joined(this.#held, chunk) : this.#held
    this.#held = passes ? undefined : chunk
    if (due === undefined) done()
    else this.#send(due, done)
  }

  override _final(done: Done): void {
    this.#sendHead()
    this.#response.end(this.#held)
    this.#held = undefined
    done()
  }

  /** Ends an open response cleanly: agents see the end of a stream, not a broken connection. */
  override _destroy(cause: Error | null, done: Done): void {
    const response = this.#response
    if (!response.writableEnded && !response.destroyed) {
      if (response.headersSent) response.end()
      else sendAnswer(response, UNANSWERED)
    }
    done(cause)
  }

  #send(chunk: Buffer, done: Done): void {
    this.#sendHead()
    // Node keeps the head back until there are bytes; an empty write is a wish to send it.
    if (chunk.length === 0) this.#response.flushHeaders()
    if (this.#response.write(chunk)) done()
    else onceOf(this.#response, ['drain', 'close'], done)
  }

  #sendHead(): void {
    if (this.#response.headersSent) return
    this.#response.writeHead(this.#head.statusCode, { ...this.#head.headers })
  }
}

function joined(held: Buffer | undefined, chunk: Buffer): Buffer {
  return held === undefined ? chunk : Buffer.concat([held, chunk])
}

/** Runs `then` at the first of `events`. */
function onceOf(from: ServerResponse, events: readonly string[], then: () => void): void {
  const go = () => {
    for (const event of events) from.off(event, go)
    then()
  }
  for (const event of events) from.on(event, go)
}
