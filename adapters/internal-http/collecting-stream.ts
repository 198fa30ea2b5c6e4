/**
 * A response stream that keeps what is written, for a door that is called inside this process. The
 * answer is complete at `end()`; what the door does afterwards is its own affair, as on Lambda.
 */
import { Writable } from 'node:stream'

export class CollectingStream extends Writable {
  readonly #chunks: Buffer[] = []
  #status = 0

  setHead(head: { readonly statusCode: number }): void {
    this.#status = head.statusCode
  }

  /** 0 when none was named. */
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
