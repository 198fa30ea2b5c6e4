/**
 * A door's handler that is called inside this process, and the stream that collects its answer. The
 * handler has the shape of the streaming handlers of adapters/http, so the two folders need not
 * import each other. local/ passes one as the other, and the compiler compares them there.
 */
import { Writable } from 'node:stream'

export type DoorEvent = {
  readonly version: '2.0'
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: { readonly [name: string]: string }
  readonly requestContext: {
    readonly http: { readonly method: string; readonly path: string; readonly sourceIp: string }
    readonly authorizer: { readonly iam: { readonly accountId: string; readonly userArn: string } }
    readonly requestId: string
    readonly domainName: string
  }
  readonly body: string
  readonly isBase64Encoded: boolean
}

export type DoorContext = {
  readonly awsRequestId: string
  getRemainingTimeInMillis(): number
}

export type DoorHandler = (
  event: DoorEvent,
  out: CollectingStream,
  context: DoorContext,
) => Promise<void>

type ResponseHead = {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/**
 * A response stream that collects the answer of a door. The answer is complete at `end()`; the door
 * may continue to work after it, as on Lambda.
 */
export class CollectingStream extends Writable {
  readonly #chunks: Buffer[] = []
  #status = 0
  #headers: ResponseHead['headers'] = {}

  setHead({ headers, statusCode }: ResponseHead): void {
    this.#status = statusCode
    this.#headers = headers
  }

  get headers(): ResponseHead['headers'] {
    return this.#headers
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
