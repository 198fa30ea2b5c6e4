/**
 * The response stream that a handler gets from the twin: bytes go straight to the HTTP response,
 * with back-pressure, and `close` says that the agent is gone or the twin is stopping. Its first
 * chunk waits for the end of the turn: an answer that is whole by then leaves in one write, with
 * its length, beside the other answers of the turn. Decides nothing about what is written.
 */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ResponseHead, ResponseStream } from '../../adapters/http/events.ts'
import { problemAnswer, sendAnswer } from './host-answers.ts'

type Chunk = string | Uint8Array

/** To whoever waits for an answer when the twin stops. */
const UNANSWERED = problemAnswer(
  'store_unavailable',
  'The twin stopped before it had answered. What the call held is given back; send it again.',
  { 'retry-after': '1' },
)

/** Chunks from this size on were never reported as held by the platform. */
const HELD_BYTES_MAX = 100_000

/** Not a Writable: its queue would be a second one before that of the response. */
export class LocalResponseStream extends EventEmitter implements ResponseStream {
  readonly #response: ServerResponse
  readonly #holdLastChunk: boolean
  #head: ResponseHead = {
    statusCode: 200,
    headers: { 'content-type': 'application/octet-stream' },
  }
  /** Until the next write or the end; without `holdLastChunk` only the first, and for a turn. */
  #held: Chunk | undefined
  writableEnded = false
  writableFinished = false
  destroyed = false

  constructor(response: ServerResponse, options: { holdLastChunk: boolean }) {
    super()
    this.#response = response
    this.#holdLastChunk = options.holdLastChunk
    // Writes after the agent left are no news: `close` tells the door.
    response.on('error', () => {})
    response.on('drain', () => this.emit('drain'))
    response.once('close', () => this.destroy())
  }

  /** Sent with the first bytes, as on AWS. */
  setHead(head: ResponseHead): void {
    this.#head = head
  }

  write(chunk: Chunk): boolean {
    if (this.writableEnded || this.destroyed) return false
    if (this.#holdLastChunk && Buffer.byteLength(chunk) <= HELD_BYTES_MAX) {
      const isTaken = this.#sendHeld()
      this.#held = chunk
      return isTaken
    }
    const isFirst = this.#held === undefined && !this.#response.headersSent
    if (isFirst && !this.#holdLastChunk) {
      this.#held = chunk
      atTurnEnd(() => this.#endTurn())
      return true
    }
    this.#sendHeld()
    return this.#send(chunk)
  }

  end(): void {
    if (this.writableEnded || this.destroyed) return
    this.writableEnded = true
    // A first chunk without `holdLastChunk` has the end of its turn coming already.
    if (this.#held === undefined || this.#holdLastChunk) atTurnEnd(() => this.#endTurn())
  }

  /** Ends an open response cleanly: agents see the end of a stream, not a broken connection. */
  destroy(): void {
    if (this.destroyed) return
    this.#endTurn()
    if (this.destroyed) return
    this.destroyed = true
    const response = this.#response
    if (!response.writableEnded && !response.destroyed) {
      if (response.headersSent) response.end()
      else sendAnswer(response, UNANSWERED)
    }
    process.nextTick(() => this.emit('close'))
  }

  #endTurn(): void {
    if (this.destroyed) return
    if (this.writableEnded) this.#finish()
    else if (!this.#holdLastChunk) this.#sendHeld()
  }

  #finish(): void {
    const last = this.#held ?? ''
    this.#held = undefined
    if (!this.#response.headersSent) {
      const { headers, statusCode } = this.#head
      this.#response.writeHead(statusCode, { ...headers, ...lengthOf(statusCode, last) })
    }
    this.#response.end(last)
    this.writableFinished = true
    this.destroyed = true
    this.emit('finish')
    this.emit('close')
  }

  /** False when the agent has more than it takes: `drain` follows. */
  #sendHeld(): boolean {
    const held = this.#held
    this.#held = undefined
    return held === undefined || this.#send(held)
  }

  #send(chunk: Chunk): boolean {
    const response = this.#response
    if (!response.headersSent) response.writeHead(this.#head.statusCode, { ...this.#head.headers })
    // Node keeps the head back until there are bytes; an empty write is a wish to send it.
    if (chunk.length === 0) response.flushHeaders()
    return response.write(chunk)
  }
}

let due: (() => void)[] = []

/** One after the other, so that the writes of a turn stand beside each other. */
function atTurnEnd(work: () => void): void {
  if (due.push(work) > 1) return
  setImmediate(() => {
    const works = due
    due = []
    for (const one of works) one()
  })
}

/** A whole answer says how long it is; those that have no body may not (RFC 9110 section 8.6). */
function lengthOf(status: number, body: Chunk): { readonly 'content-length'?: number } {
  return status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
}
