/**
 * A service's error answers as exceptions with the names and members of the SDK's, and what may be done about each:
 * nothing, another try, another try after a longer pause, a signature by the server's clock, or newer credentials.
 * The classes are those of the SDK's standard retry mode.
 */
import type { HttpAnswer } from '../exchange.ts'
import type { JsonService } from './json-service.ts'
import { isThrottleName } from './throttle-names.ts'

type Headers = HttpAnswer['headers']

/** The SDK's name for an error that has none, such as a proxy's page. */
const NAMELESS = 'UnknownError'

export class ServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string | undefined }
  /** Whose the trouble is, under the SDK's name for it. An error without a name of AWS is not the service's word. */
  readonly $fault: 'client' | 'server'
  readonly headers: Headers

  constructor(name: string, message: string, { headers, status }: Omit<HttpAnswer, 'body'>) {
    super(message)
    this.name = name
    this.$fault = status >= 400 && status < 500 && name !== NAMELESS ? 'client' : 'server'
    this.headers = headers
    const requestId = headers['x-amzn-requestid']
    this.$metadata = {
      httpStatusCode: status,
      requestId: typeof requestId === 'string' ? requestId : undefined,
    }
  }
}

/** The exception of an answer with a status other than 200; a body that is not JSON has no name of AWS. */
export function errorOf(
  { errorMembers }: Pick<JsonService, 'errorMembers'>,
  answer: HttpAnswer,
): ServiceError {
  const { __type, code, Message, message, ...more } = membersOf(answer.body)
  const header = answer.headers['x-amzn-errortype']
  const type = [__type, code, header].find((one) => typeof one === 'string') ?? NAMELESS
  const name = String(type).split(':')[0]?.split('#').at(-1) ?? NAMELESS
  const error = new ServiceError(name, String(message ?? Message ?? name), answer)
  return Object.assign(error, errorMembers?.(more))
}

type Members = { readonly [member: string]: unknown }

function membersOf(body: Buffer): Members {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    // A proxy's page: its status is all there is to say.
    return {}
  }
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'BrokenAnswer',
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
])
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504])
const NETWORK: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
const SKEWED: ReadonlySet<string> = new Set([
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
])
const EXPIRED: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
])

export type Trouble = 'throttled' | 'transient' | 'skewed' | 'expired' | 'final'

export function troubleOf(cause: unknown): Trouble {
  if (!(cause instanceof Error)) return 'final'
  const { name } = cause
  const status = cause instanceof ServiceError ? cause.$metadata.httpStatusCode : 0
  if (isThrottleName(name) || status === 429) return 'throttled'
  if (SKEWED.has(name)) return 'skewed'
  if (EXPIRED.has(name)) return 'expired'
  const isTransient =
    TRANSIENT.has(name) || TRANSIENT_STATUS.has(status) || NETWORK.has(codeOf(cause))
  return isTransient ? 'transient' : 'final'
}

function codeOf(cause: Error): unknown {
  return Reflect.get(cause, 'code')
}
