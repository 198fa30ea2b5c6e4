/**
 * The part of AWS's runtime client that doors meet: the `awslambda` global, and a response stream
 * whose head leaves only with the first `write` (not with `end`), as JSON and eight NUL bytes.
 */
import { Writable } from 'node:stream'

type Write = (chunk: string | Uint8Array) => boolean

const DELIMITER = '\0'.repeat(8)

export class LambdaStream extends Writable {
  beforeFirstWrite: ((write: Write) => void) | undefined
  readonly chunks: string[] = []

  override write(chunk: string | Uint8Array): boolean {
    const { beforeFirstWrite } = this
    this.beforeFirstWrite = undefined
    beforeFirstWrite?.((bytes) => super.write(bytes))
    return super.write(chunk)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk.toString())
    done()
  }

  /** The platform's response for these bytes; undefined where it would answer 502. */
  answer(): { statusCode: number; headers: Record<string, string>; body: string } | undefined {
    const all = this.chunks.join('')
    const at = all.indexOf(DELIMITER)
    if (at < 0) return undefined
    return { ...JSON.parse(all.slice(0, at)), body: all.slice(at + DELIMITER.length) }
  }
}

export function installLambdaHost(): void {
  Reflect.set(globalThis, 'awslambda', {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (out: LambdaStream, head: object) => {
        out.beforeFirstWrite = (write) => {
          write(JSON.stringify(head))
          write(new Uint8Array(8))
        }
        return out
      },
    },
  })
}

export function removeLambdaHost(): void {
  Reflect.deleteProperty(globalThis, 'awslambda')
}

/** In the form of the platform. */
export function urlEvent(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    version: '2.0',
    rawPath: '/v1/execute',
    rawQueryString: '',
    headers: {},
    requestContext: {
      http: { method: 'POST', path: '/v1/execute', sourceIp: '192.0.2.1' },
      requestId: 'r-1',
      domainName: 'x.lambda-url.eu-central-1.on.aws',
    },
    isBase64Encoded: false,
    ...more,
  }
}
