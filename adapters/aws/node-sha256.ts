/**
 * sha256 and its HMAC in the shape that the SigV4 signer asks for, computed by node instead of
 * JavaScript.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'

type Source = string | ArrayBuffer | ArrayBufferView

export class NodeSha256 {
  readonly #secret: Source | undefined
  #running: Hash | Hmac

  constructor(secret?: Source) {
    this.#secret = secret
    this.#running = begin(secret)
  }

  update(chunk: Uint8Array): void {
    this.#running.update(chunk)
  }

  async digest(): Promise<Uint8Array> {
    return this.#running.digest()
  }

  reset(): void {
    this.#running = begin(this.#secret)
  }
}

function begin(secret: Source | undefined): Hash | Hmac {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
}

function bytesOf(source: Source): Uint8Array | string {
  if (typeof source === 'string') return source
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
}
