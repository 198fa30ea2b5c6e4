/**
 * Signs requests to AWS services for which this package has no client. The DynamoDB client, which
 * ships anyway, finds the region and the credentials; the file loads it on the first request.
 * Requests follow AWS_ENDPOINT_URL, so that commands can be tried on an emulator.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { makeAwsHost } from '../../adapters/aws/partition.ts'
import { makeSigner } from '../../adapters/aws/sign-request.ts'
import { fetchAfresh } from '../gateway/fetch-afresh.ts'

export type Environment = { readonly [name: string]: string | undefined }

export type ServiceRequest = {
  readonly service:
    | 'apigateway'
    | 'application-autoscaling'
    | 'cloudformation'
    | 'cloudfront'
    | 'dynamodb'
    | 'lambda'
    | 'logs'
    | 'monitoring'
    | 'secretsmanager'
    | 'ses'
    | 'sns'
    | 'ssm'
    | 'sts'
  readonly path: string
  /** Default: a request with a body is a POST, one without is a GET. */
  readonly method?: 'DELETE' | 'PUT'
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

export type AwsAccount = {
  readonly region: string
  /**
   * Returns the body of the response. Throws a ServiceError with the service's message if the
   * service refuses the request, and another Error if it does not answer.
   */
  ask(request: ServiceRequest): Promise<string>
  /** Like `ask`; returns the version of the resource as well, for services that have an ETag. */
  askWithTag(request: ServiceRequest): Promise<TaggedAnswer>
}

export type TaggedAnswer = { readonly text: string; readonly etag: string | undefined }

/** Services with one host for all regions, and the region by which requests to it are signed. */
const GLOBAL_SERVICES: { readonly [service in ServiceRequest['service']]?: GlobalService } = {
  cloudfront: { host: 'cloudfront.amazonaws.com', region: 'us-east-1' },
}

type GlobalService = { readonly host: string; readonly region: string }

/** A service refused a request; `status` is that of the response. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  /** The service's name of the error, such as `AccessDeniedException`; undefined if it has none. */
  readonly code: string | undefined

  constructor(message: string, status: number, code?: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Services whose host has another name than the one by which requests are signed. */
const HOST_NAMES: { readonly [service in ServiceRequest['service']]?: string } = { ses: 'email' }

const ANSWER_TIMEOUT_MS = 10_000

/**
 * Finds region and credentials. Throws an Error that says what to do if one of the two is missing.
 */
export async function openAwsAccount(env: Environment): Promise<AwsAccount> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb')
  const region = await findRegion(env, new DynamoDBClient({}))
  const client = new DynamoDBClient({ region })
  // The client keeps credentials and renews those that expire: a restore outlives some sessions.
  const findCredentials = () =>
    client.config.credentials().catch((cause) => {
      const remedy =
        'sign in (aws configure sso, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret)'
      throw new Error(`credentials: there are none; ${remedy} and run this again`, { cause })
    })
  await findCredentials()
  const askWithTag = async (request: ServiceRequest): Promise<TaggedAnswer> => {
    const { body, headers = {}, path, service } = request
    const at = GLOBAL_SERVICES[service] ?? {
      host: makeAwsHost(HOST_NAMES[service] ?? service, region),
      region,
    }
    const url = new URL(path, env['AWS_ENDPOINT_URL'] ?? `https://${at.host}`)
    const method = request.method ?? (body === undefined ? 'GET' : 'POST')
    const unsigned = { method, url, headers: { accept: 'application/json', ...headers }, body }
    const credentials = await findCredentials()
    const signed = makeSigner(service, at.region)(unsigned, credentials, Date.now())
    return sendRequest(request, url, { method, headers: signed, body: body ?? null })
  }
  return { region, ask: async (request) => (await askWithTag(request)).text, askWithTag }
}

async function findRegion(env: Environment, client: DynamoDBClient): Promise<string> {
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION']
  try {
    return named ?? (await client.config.region())
  } catch (cause) {
    throw new Error('region: is missing; set AWS_REGION, or a region in your AWS profile', {
      cause,
    })
  }
}

async function sendRequest(
  { service }: ServiceRequest,
  url: URL,
  init: RequestInit,
): Promise<TaggedAnswer> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const answer = await fetchAfresh(url, { ...init, signal }).catch((cause) => {
    throw new Error(`${service}: ${url.origin} does not answer; is the region right?`, { cause })
  })
  const text = await answer.text()
  if (answer.ok) return { text, etag: answer.headers.get('etag') ?? undefined }
  throw new ServiceError(
    `${service}: ${url.origin} answered ${answer.status}: ${text.slice(0, 300)}`,
    answer.status,
    readErrorCode(answer.headers.get('x-amzn-errortype'), text),
  )
}

/**
 * Reads the code of an error, which REST services send in a header, JSON services in `__type`, and
 * XML services in `Code`. The first two may have a namespace before it or a URL after it.
 */
function readErrorCode(header: string | null, text: string): string | undefined {
  const [, code] =
    /<Code>\s*([^<\s]+)/.exec(text) ?? /"(?:__type|code)"\s*:\s*"([^"]+)"/.exec(text) ?? []
  return (header ?? code)?.replace(/^.*#/, '').replace(/:.*$/, '')
}
