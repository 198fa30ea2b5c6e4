/**
 * Reads the account: three signed requests that change nothing. The DynamoDB client, which ships
 * anyway, finds region and credentials, so that no further client packages are needed.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4'
import { NodeSha256 } from '../../adapters/config/node-sha256.ts'

export type AccountFacts = {
  readonly account: string
  readonly caller: string
  readonly region: string
  /** Concurrent executions that all functions of the account and region share. */
  readonly concurrency: number
  /** The part that no function has reserved. */
  readonly unreserved: number
  /** The role of API Gateway's logs; undefined when none is set. */
  readonly apiLogRole: string | undefined
}

export type Environment = { readonly [name: string]: string | undefined }

type Request = {
  readonly service: 'sts' | 'lambda' | 'apigateway'
  readonly path: string
  /** A form body; the request is then a POST. */
  readonly form?: string
}
type Ask = (request: Request) => Promise<string>

const ANSWER_TIMEOUT_MS = 10_000

/**
 * Throws an error that says what to do when there are no credentials, no region or no permission.
 */
export async function readFacts(env: Environment): Promise<AccountFacts> {
  const region = await regionOf(env)
  const ask = await asker(region, env)
  const form = 'Action=GetCallerIdentity&Version=2011-06-15'
  const caller = await ask({ service: 'sts', path: '/', form })
  const settings = await ask({ service: 'lambda', path: '/2016-08-19/account-settings/' })
  const api = await ask({ service: 'apigateway', path: '/account' })
  const limits = fieldsOf(fieldsOf(JSON.parse(settings))['AccountLimit'])
  const role = fieldsOf(JSON.parse(api))['cloudwatchRoleArn']
  return {
    account: elementOf(caller, 'Account'),
    caller: elementOf(caller, 'Arn'),
    region,
    concurrency: countOf(limits, 'ConcurrentExecutions'),
    unreserved: countOf(limits, 'UnreservedConcurrentExecutions'),
    apiLogRole: typeof role === 'string' && role !== '' ? role : undefined,
  }
}

async function regionOf(env: Environment): Promise<string> {
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION']
  try {
    return named ?? (await new DynamoDBClient({}).config.region())
  } catch (cause) {
    throw new Error('region: is missing; set AWS_REGION, or a region in your AWS profile', {
      cause,
    })
  }
}

async function asker(region: string, env: Environment): Promise<Ask> {
  const credentials = await new DynamoDBClient({ region }).config.credentials().catch((cause) => {
    const remedy =
      'sign in (aws configure sso, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret)'
    throw new Error(`credentials: there are none; ${remedy} and run this again`, { cause })
  })
  return async (request) => {
    const { service, path, form } = request
    const url = new URL(path, env['AWS_ENDPOINT_URL'] ?? endpointOf(service, region))
    const signer = new SignatureV4({ service, region, credentials, sha256: NodeSha256 })
    const method = form === undefined ? 'GET' : 'POST'
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const { headers } = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: {},
      headers: { ...type, accept: 'application/json', host: url.host },
      ...(form === undefined ? {} : { body: form }),
    })
    return textOf(request, url, { method, headers, body: form ?? null })
  }
}

async function textOf({ service }: Request, url: URL, init: RequestInit): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const answer = await fetch(url, { ...init, signal }).catch((cause) => {
    throw new Error(`${service}: ${url.origin} does not answer; is the region right?`, { cause })
  })
  const text = await answer.text()
  if (answer.ok) return text
  throw new Error(`${service}: ${url.origin} answered ${answer.status}: ${text.slice(0, 300)}`)
}

function endpointOf(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** STS answers XML, or JSON with the same names. */
function elementOf(text: string, name: string): string {
  const [, xml, json] = new RegExp(`<${name}>([^<]+)<|"${name}":\\s*"([^"]+)"`).exec(text) ?? []
  const value = xml ?? json
  if (value === undefined) throw new Error(`sts: its answer has no ${name}`)
  return value
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function countOf(fields: { readonly [name: string]: unknown }, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number') throw new Error(`lambda: its account settings have no ${name}`)
  return value
}
