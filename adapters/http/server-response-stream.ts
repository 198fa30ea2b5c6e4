/**
 * The response stream that this gateway's HTTP server gives a handler. Bytes go straight to the
 * HTTP response, with back-pressure; `close` says that the client left or the server stops. The
 * first chunk waits for the end of the turn of the event loop. An answer that is complete by then
 * is sent in one write, with its length, together with the other answers of the turn.
 */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ResponseHead, ResponseStream } from './events.ts'
import { type HostAnswer, sendAnswer } from './server-answers.ts'

type Chunk = string | Uint8Array

export type ServerResponseOptions = {
  /** A small chunk waits for the next write, as with function URLs. */
  readonly holdLastChunk: boolean
  /** The answer for clients that still wait when the server stops. */
  readonly unanswered: HostAnswer
}

/** AWS's platform was observed to hold only smaller chunks. */
const HELD_BYTES_MAX = 100_000

/** Not a Writable, which would add a queue to the response's own queue. */
export class ServerResponseStream extends EventEmitter implements ResponseStream {
  readonly #response: ServerResponse
  readonly #holdLastChunk: boolean
  readonly #unanswered: HostAnswer
  #head: ResponseHead = {
    statusCode: 200,
    headers: { 'content-type': 'application/octet-stream' },
  }
  /**
   * A chunk that waits for the next write; without `holdLastChunk` only the first one, for a turn.
   */
  #held: Chunk | undefined
  hasHead = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  isCut = false

  constructor(response: ServerResponse, options: ServerResponseOptions) {
    super()
    this.#response = response
    this.#holdLastChunk = options.holdLastChunk
    this.#unanswered = options.unanswered
    // Errors of writes after the client left are ignored: the door gets `close`.
    response.on('error', () => {})
    response.on('drain', () => this.emit('drain'))
    // `on`, not `once`, which keeps two more objects for each open stream.
    response.on('close', () => this.destroy())
  }

  /** The first bytes send the head, as on AWS. */
  setHead(head: ResponseHead): void {
    this.#head = head
    this.hasHead = true
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
    // Without `holdLastChunk` the first chunk has already scheduled the end of its turn.
    if (this.#held === undefined || this.#holdLastChunk) atTurnEnd(() => this.#endTurn())
  }

  /** Ends an open response cleanly: clients see the end of a stream, not a broken connection. */
  destroy(): void {
    if (this.destroyed) return
    this.#endTurn()
    if (this.destroyed) return
    this.destroyed = true
    const response = this.#response
    if (!response.writableEnded && !response.destroyed) {
      this.isCut = true
      if (response.headersSent) response.end()
      else sendAnswer(response, this.#unanswered)
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
      this.#response.writeHead(statusCode, { ...headers, ...makeLengthHeader(statusCode, last) })
    }
    this.#response.end(last)
    this.writableFinished = true
    this.destroyed = true
    this.emit('finish')
    this.emit('close')
  }

  /** False if the client reads too slowly: then `drain` follows. */
  #sendHeld(): boolean {
    const held = this.#held
    this.#held = undefined
    return held === undefined || this.#send(held)
  }

  #send(chunk: Chunk): boolean {
    const response = this.#response
    if (!response.headersSent) this.#sendHead()
    return response.write(chunk)
  }

  /**
   * Sends the head separately, to save memory: node keeps the head as long as the response is open,
   * and a head that was joined to a chunk is kept as its fifty pieces. The socket is corked, so
   * head and bytes still leave in one write.
   */
  #sendHead(): void {
    const response = this.#response
    const { socket } = response
    socket?.cork()
    response.writeHead(this.#head.statusCode, { ...this.#head.headers })
    response.flushHeaders()
    process.nextTick(() => socket?.uncork())
  }
}

let due: (() => void)[] = []

/** Runs tasks one after the other, so that the writes of a turn are sent together. */
function atTurnEnd(work: () => void): void {
  if (due.push(work) > 1) return
  setImmediate(() => {
    const works = due
    due = []
    for (const one of works) one()
  })
}

/** A whole answer states its length, unless its status allows no body (RFC 9110 section 8.6). */
function makeLengthHeader(status: number, body: Chunk): { readonly 'content-length'?: number } {
  return status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
}
