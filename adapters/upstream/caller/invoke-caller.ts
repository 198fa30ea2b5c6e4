/**
 * One Invoke of the function caller, signed with the credentials that Lambda gives this function.
 * Nothing is sent twice, because the function may have begun to work. What comes back says whether
 * it can have: money depends on that.
 */
import { makeHttpExchange } from '../../aws/exchange.ts'
import { type Credentials, encodeRfc3986, makeSigner } from '../../aws/sign-request.ts'
import { makeServiceError } from '../../aws/signed/service-error.ts'
import { CROSSING_BYTES_MAX } from './crossing.ts'

export type CallerFunction = {
  /** ARN, with the alias. */
  readonly functionArn: string
  /** The origin of Lambda's API. */
  readonly endpoint: URL
  readonly region: string
  readonly credentials: Credentials
}

export type Invoked =
  | { readonly kind: 'answered'; readonly text: string }
  /** Lambda refused the request or was not reached, so the function did not run. */
  | { readonly kind: 'not-run'; readonly why: string }
  /** The function may have run. */
  | { readonly kind: 'in-doubt'; readonly why: string }

/** Lambda's own limit has some bytes more than a round 6 MB. */
const ANSWER_BYTES_MAX = CROSSING_BYTES_MAX + 1_024
/** Includes the wait for a connection: other requests of this process use as many as they need. */
export const CALLER_CONNECTION_TIMEOUT_MS = 5_000
const LIMITS = {
  connectionTimeoutMs: CALLER_CONNECTION_TIMEOUT_MS,
  socketsMax: 64,
  // Far below the idle time after which AWS's front end closes a connection.
  idleSocketMs: 4_000,
  answerBytesMax: ANSWER_BYTES_MAX,
} as const

export type Invoke = (event: string, signal: AbortSignal) => Promise<Invoked>

/** Never rejects. `signal` ends the wait; the function goes on to the deadline in its event. */
export function makeInvoke(caller: CallerFunction, nowMs: () => number): Invoke {
  const { credentials, endpoint, functionArn, region } = caller
  const sign = makeSigner('lambda', region)
  const exchange = makeHttpExchange('caller', LIMITS, { nowMs })
  const path = `/2015-03-31/functions/${encodeRfc3986(functionArn)}/invocations`
  const url = new URL(path, endpoint)
  const types = {
    'content-type': 'application/json',
    'x-amz-invocation-type': 'RequestResponse',
    // No end of the function's log comes back in a header.
    'x-amz-log-type': 'None',
  }
  return async (event, signal) => {
    const request = { method: 'POST', url, headers: types, body: event }
    try {
      const headers = sign(request, credentials, nowMs())
      const answer = await exchange.send({ ...request, headers, signal })
      if (answer.status !== 200) return readRefusal(answer)
      const failure = answer.headers['x-amz-function-error']
      return failure === undefined
        ? { kind: 'answered', text: answer.body.toString() }
        : { kind: 'in-doubt', why: `function error ${failure}` }
    } catch (cause) {
      const why = readName(cause)
      return { kind: hasNoConnection(cause) ? 'not-run' : 'in-doubt', why }
    }
  }
}

function readRefusal(answer: Parameters<typeof makeServiceError>[1]): Invoked {
  const { name } = makeServiceError({}, answer)
  const isRefused = answer.status < 500 || NOT_STARTED.has(name)
  return { kind: isRefused ? 'not-run' : 'in-doubt', why: name }
}

/**
 * Errors with a status of 5xx by which Lambda says that it could not start the function in its
 * network: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
const NOT_STARTED: ReadonlySet<string> = new Set([
  'EC2AccessDeniedException',
  'EC2ThrottledException',
  'EC2UnexpectedException',
  'ENILimitReachedException',
  'InvalidSecurityGroupIDException',
  'InvalidSubnetIDException',
  'ResourceNotReadyException',
  'SubnetIPAddressLimitReachedException',
])

const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo'])

/** True if the request was never written. */
function hasNoConnection(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(hasNoConnection)
  if (!(cause instanceof Error)) return false
  return cause.name === 'TimeoutError' || CONNECTING.has(Reflect.get(cause, 'syscall'))
}

function readName(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown error'
  const code: unknown = Reflect.get(cause, 'code')
  return typeof code === 'string' ? code : cause.name
}
