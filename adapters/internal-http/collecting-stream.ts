/**
 * A response stream that collects the answer of a door that is called inside this process. The answer is
 * complete at `end()`; the door may continue to work after it, as on Lambda.
 */
import { Writable } from 'node:stream'

export class CollectingStream extends Writable {
  readonly #chunks: Buffer[] = []
  #status = 0

  setHead(head: { readonly statusCode: number }): void {
    this.#status = head.statusCode
  }

  /** 0 before a status is set. */
  get status(): number {
    return this.#status
  }

  get body(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }
}
