/**
 * A response stream that collects what is written, for a door that is called inside this process.
 * The answer is complete at `end()`; the door may go on working after it, as on Lambda.
 */
import { Writable } from 'node:stream'

type Head = {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

export class CollectingStream extends Writable {
  readonly #chunks: Buffer[] = []
  #status = 0
  #headers: Head['headers'] = {}

  setHead({ headers, statusCode }: Head): void {
    this.#status = statusCode
    this.#headers = headers
  }

  get headers(): Head['headers'] {
    return this.#headers
  }

  /** 0 before a status was set. */
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
