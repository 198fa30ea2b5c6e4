/**
 * Turns a service's error answers into exceptions with the SDK's names and members, and classifies
 * them by remedy: none, another try, another try after a longer pause, a signature by the server's
 * clock, or newer credentials. The classes are those of the SDK's standard retry mode.
 */
import type { HttpAnswer } from '../exchange.ts'
import type { JsonService } from './json-service.ts'
import { isThrottleName } from './throttle-names.ts'

type Headers = HttpAnswer['headers']

/** The SDK's name for an error that has none, such as a proxy's page. */
const NAMELESS = 'UnknownError'

export class ServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string | undefined }
  /** Which side caused the error, as in the SDK. An error without AWS's name comes from a proxy. */
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

/** The exception for an answer whose status is not 200. */
export function makeServiceError(
  { errorMembers }: Pick<JsonService, 'errorMembers'>,
  answer: HttpAnswer,
): ServiceError {
  const { __type, code, Message, message, ...more } = readMembers(answer.body)
  const header = answer.headers['x-amzn-errortype']
  const type = [__type, code, header].find((one) => typeof one === 'string') ?? NAMELESS
  const name = String(type).split(':')[0]?.split('#').at(-1) ?? NAMELESS
  const error = new ServiceError(name, String(message ?? Message ?? name), answer)
  return Object.assign(error, errorMembers?.(more))
}

type Members = { readonly [member: string]: unknown }

function readMembers(body: Buffer): Members {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    // A proxy's page: only its status is known.
    return {}
  }
}

const TRANSIENT_NAMES: ReadonlySet<string> = new Set([
  'BrokenAnswer',
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
])
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504])
const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
const SKEWED_NAMES: ReadonlySet<string> = new Set([
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
])
const EXPIRED_NAMES: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
])

export type ErrorClass = 'throttled' | 'transient' | 'skewed' | 'expired' | 'final'

/** Classifies an exception; `final`: a retry does not help. */
export function classifyError(cause: unknown): ErrorClass {
  if (!(cause instanceof Error)) return 'final'
  const { name } = cause
  const status = cause instanceof ServiceError ? cause.$metadata.httpStatusCode : 0
  if (isThrottleName(name) || status === 429) return 'throttled'
  if (SKEWED_NAMES.has(name)) return 'skewed'
  if (EXPIRED_NAMES.has(name)) return 'expired'
  const isTransient =
    TRANSIENT_NAMES.has(name) || TRANSIENT_STATUS.has(status) || NETWORK_CODES.has(readCode(cause))
  return isTransient ? 'transient' : 'final'
}

function readCode(cause: Error): unknown {
  return Reflect.get(cause, 'code')
}
