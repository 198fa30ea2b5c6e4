/**
 * Requests to one S3 bucket, signed (SigV4, service `s3`), over node's HTTP client: the SDK's
 * client would be ten times the code of the function that writes. Requests that S3 fails are sent
 * again, which is safe, because each PUT can be repeated.
 */
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { type HttpAnswer, makeHttpExchange } from '../aws/exchange.ts'
import { makeAwsHost } from '../aws/partition.ts'
import { type Credentials, encodeRfc3986, makeSigner } from '../aws/sign-request.ts'

export type S3Bucket = {
  readonly bucket: string
  readonly region: string
  /** URL of an emulator, with the bucket in the path; undefined for AWS. */
  readonly endpoint?: string | undefined
  readonly credentials: () => Promise<Credentials>
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>
}

export type S3Request = {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'PUT'
  /** '' for the bucket itself. */
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Uint8Array
}

export type S3Answer = HttpAnswer

const TRIES_MAX = 3
const PAUSE_MS = 200
const TIMEOUT_MS = 10_000
/** Bytes of an answer; an object of 10,000 lines has 0.6 MB. */
const ANSWER_BYTES_MAX = 64_000_000
const EXCHANGE = makeHttpExchange('archive', {
  socketsMax: 8,
  // Far below the idle time after which S3 closes a connection.
  idleSocketMs: 4_000,
  answerBytesMax: ANSWER_BYTES_MAX,
})

/** Throws `Fault('store_unavailable')` if S3 does not answer, or fails, in all tries. */
export async function sendToS3(bucket: S3Bucket, request: S3Request): Promise<S3Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await sendOnce(bucket, request).catch((cause: unknown) => ({ cause }))
    if ('status' in answer && !isRetryable(answer.status)) return answer
    if (tries === TRIES_MAX) throw makeFailure(request, answer)
    await bucket.clock.sleep(PAUSE_MS * tries)
  }
}

/**
 * True for a status after which another try may succeed; 409: another PUT of the name is running.
 */
function isRetryable(status: number): boolean {
  return status >= 500 || status === 409 || status === 429
}

function makeFailure(
  { key, method }: S3Request,
  answer: S3Answer | { readonly cause: unknown },
): Fault {
  const failure = `archive: ${method} ${key} failed ${TRIES_MAX} times`
  return 'status' in answer
    ? new Fault('store_unavailable', `${failure}, the last time with ${answer.status}`)
    : new Fault('store_unavailable', failure, answer.cause)
}

/** The fault for a refused request, with S3's code, such as `AccessDenied`. */
export function makeRefusalFault({ key, method }: S3Request, { body, status }: S3Answer): Fault {
  const [, code = ''] = /<Code>(\w{1,64})<\/Code>/.exec(body.toString('utf8')) ?? []
  return new Fault('store_unavailable', `archive: ${method} ${key} got ${status} ${code}`.trim())
}

async function sendOnce(bucket: S3Bucket, request: S3Request): Promise<S3Answer> {
  const { body, headers = {}, method } = request
  const unsigned = { method, url: makeUrl(bucket, request), headers, body }
  const sign = makeSigner('s3', bucket.region)
  return EXCHANGE.send({
    ...unsigned,
    headers: sign(unsigned, await bucket.credentials(), bucket.clock.nowMs()),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
}

function makeUrl(bucket: S3Bucket, { key, query = {} }: S3Request): URL {
  const origin = makeOrigin(bucket)
  const path = `${origin.pathname.replace(/\/$/, '')}/${key.split('/').map(encodeRfc3986).join('/')}`
  const search = Object.entries(query).map(
    ([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`,
  )
  return new URL(`${path}${search.length === 0 ? '' : `?${search.join('&')}`}`, origin)
}

function makeOrigin({ bucket, endpoint, region }: S3Bucket): URL {
  if (endpoint === undefined) return new URL(`https://${makeAwsHost(`${bucket}.s3`, region)}`)
  return new URL(`${endpoint.replace(/\/$/, '')}/${bucket}`)
}
