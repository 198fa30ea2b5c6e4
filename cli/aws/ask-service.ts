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
  readonly service: 'apigateway' | 'dynamodb' | 'lambda' | 'logs' | 'monitoring' | 'sts'
  readonly path: string
  /** A request with a body is a POST, one without is a GET. */
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

export type AwsAccount = {
  readonly region: string
  /**
   * Returns the body of the response. Throws an Error with the service's message if the request
   * fails.
   */
  ask(request: ServiceRequest): Promise<string>
}

const ANSWER_TIMEOUT_MS = 10_000

/**
 * Finds region and credentials. Throws an Error that says what to do if one of the two is missing.
 */
export async function openAwsAccount(env: Environment): Promise<AwsAccount> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb')
  const region = await findRegion(env, new DynamoDBClient({}))
  const client = new DynamoDBClient({ region })
  const credentials = await client.config.credentials().catch((cause) => {
    const remedy =
      'sign in (aws configure sso, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret)'
    throw new Error(`credentials: there are none; ${remedy} and run this again`, { cause })
  })
  return {
    region,
    ask: async (request) => {
      const { body, headers = {}, path, service } = request
      const url = new URL(
        path,
        env['AWS_ENDPOINT_URL'] ?? `https://${makeAwsHost(service, region)}`,
      )
      const method = body === undefined ? 'GET' : 'POST'
      const unsigned = { method, url, headers: { accept: 'application/json', ...headers }, body }
      const signed = makeSigner(service, region)(unsigned, credentials, Date.now())
      return sendRequest(request, url, { method, headers: signed, body: body ?? null })
    },
  }
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
): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const answer = await fetchAfresh(url, { ...init, signal }).catch((cause) => {
    throw new Error(`${service}: ${url.origin} does not answer; is the region right?`, { cause })
  })
  const text = await answer.text()
  if (answer.ok) return text
  throw new Error(`${service}: ${url.origin} answered ${answer.status}: ${text.slice(0, 300)}`)
}
