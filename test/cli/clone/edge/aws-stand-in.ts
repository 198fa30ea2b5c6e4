/**
 * CloudFormation, Secrets Manager and CloudFront of one stage with an edge, as far as a rotation
 * asks them. Judges after each change whether the doors accept all that the distribution may send.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closePort, openPort } from '../../../../local/http/listen.ts'

export const FIRST = 'A'.repeat(43)
export const DISTRIBUTION = 'E2EXAMPLE'
export const SECRET = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:Edge-abcdef'

type Secret = { readonly current: string; readonly previous?: string }

export type AwsStandIn = {
  readonly endpoint: string
  /** The requests so far: `secretsmanager PutSecretValue`, `cloudfront PUT …/config`. */
  readonly asked: string[]
  /** What is current in Secrets Manager. */
  secret(): Secret
  /** Values that the distribution may send anywhere; one when it is deployed. */
  sent(): readonly string[]
  /** Values that were sent while no door accepted them. */
  readonly refused: readonly string[]
  /** The request of this number, from 1, gets no answer, after it was carried out or before. */
  breakAt: { readonly request: number; readonly isCarriedOut: boolean } | undefined
  /** Called before each request; `undefined` lets it pass. */
  before: ((asked: string) => Promise<void> | void) | undefined
  /** CloudFront has spread the last change. */
  spread(): void
  stop(): Promise<void>
}

type Reply = {
  readonly status?: number
  readonly body?: string
  readonly headers?: { [name: string]: string }
}

export async function startAwsStandIn(): Promise<AwsStandIn> {
  const versions = new Map([['v1', JSON.stringify({ current: FIRST })]])
  const state = { current: 'v1', deployed: FIRST, pending: FIRST, etag: 1 }
  const refused: string[] = []
  const secret = (): Secret => JSON.parse(versions.get(state.current) ?? '{}')
  const sent = () => [...new Set([state.deployed, state.pending])]
  const judge = () => {
    const { current, previous } = secret()
    refused.push(...sent().filter((value) => value !== current && value !== previous))
  }
  const secrets: { readonly [action: string]: (input: { [name: string]: string }) => Reply } = {
    GetSecretValue: () => ({
      body: JSON.stringify({ SecretString: versions.get(state.current), VersionId: state.current }),
    }),
    PutSecretValue: (input) => {
      versions.set(input['ClientRequestToken'] ?? '', input['SecretString'] ?? '')
      return { body: '{}' }
    },
    UpdateSecretVersionStage: ({ MoveToVersionId = '', RemoveFromVersionId }) => {
      if (RemoveFromVersionId !== state.current) {
        return { status: 400, body: JSON.stringify({ __type: 'InvalidParameterException' }) }
      }
      state.current = MoveToVersionId
      return { body: '{}' }
    },
  }
  const distribution = (method: string, path: string, ifMatch: unknown, body: string): Reply => {
    const etag = `E${state.etag}`
    if (method === 'PUT') {
      if (ifMatch !== etag) return { status: 412, body: '<Code>PreconditionFailed</Code>' }
      state.etag += 1
      state.deployed = state.pending
      state.pending = readHeaderValue(body)
      return { body }
    }
    if (path.endsWith('/config')) return { headers: { etag }, body: writeConfig(state.pending) }
    const isDeployed = state.deployed === state.pending
    return {
      body: `<Distribution><Status>${isDeployed ? 'Deployed' : 'InProgress'}</Status></Distribution>`,
    }
  }
  const answer = (name: string, request: IncomingMessage, body: string): Reply => {
    const [service, action = ''] = name.split(' ')
    if (service === 'secretsmanager') return secrets[action]?.(JSON.parse(body)) ?? { status: 400 }
    if (service === 'cloudformation') return describeStack(new URLSearchParams(body))
    return distribution(request.method ?? '', request.url ?? '', request.headers['if-match'], body)
  }
  const server: Server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const name = nameOf(request)
    fake.asked.push(name)
    await fake.before?.(name)
    const isBroken = fake.breakAt?.request === fake.asked.length
    if (isBroken && fake.breakAt?.isCarriedOut === false) return response.destroy()
    const { headers = {}, status = 200, body: text = '' } = answer(name, request, body)
    judge()
    if (isBroken) return response.destroy()
    return response.writeHead(status, headers).end(text)
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  const fake: AwsStandIn = {
    endpoint: `http://127.0.0.1:${port}`,
    asked: [],
    secret,
    sent,
    refused,
    breakAt: undefined,
    before: undefined,
    spread: () => {
      state.deployed = state.pending
    },
    stop: async () => {
      server.closeAllConnections()
      await closePort(server)
    },
  }
  return fake
}

/** Each service is signed for its region; CloudFront's is us-east-1. */
function nameOf(request: IncomingMessage): string {
  const [, region, service] =
    /AKIDEXAMPLE\/\d{8}\/([a-z0-9-]+)\/([a-z]+)\/aws4_request/.exec(
      request.headers.authorization ?? '',
    ) ?? []
  const expected = service === 'cloudfront' ? 'us-east-1' : 'eu-central-1'
  if (region !== expected) return `unsigned for ${expected}`
  const target = String(request.headers['x-amz-target'] ?? '').replace('secretsmanager.', '')
  return `${service} ${target || `${request.method} ${request.url}`}`
}

function describeStack(form: URLSearchParams): Reply {
  if (form.get('StackName') !== 'Skillgate-prod-Edge') {
    return {
      status: 400,
      body: '<ErrorResponse><Error><Code>ValidationError</Code></Error></ErrorResponse>',
    }
  }
  const output = (key: string, value: string) =>
    `<member><OutputValue>${value}</OutputValue><OutputKey>${key}</OutputKey></member>`
  const outputs = [output('EdgeDistributionId', DISTRIBUTION), output('EdgeSecretId', SECRET)]
  return {
    body: `<DescribeStacksResponse><Outputs>${outputs.join('')}</Outputs></DescribeStacksResponse>`,
  }
}

function writeConfig(value: string): string {
  const header = (name: string, text: string) =>
    `<OriginCustomHeader><HeaderName>${name}</HeaderName><HeaderValue>${text}</HeaderValue></OriginCustomHeader>`
  const origins = ['mcp', 'sse'].map(
    (id) =>
      `<Origin><Id>${id}</Id><CustomHeaders><Items>${header('x-other', 'kept')}${header('X-Origin-Secret', value)}</Items></CustomHeaders></Origin>`,
  )
  return `<?xml version="1.0"?><DistributionConfig><Comment>a &amp; b</Comment><Origins>${origins.join('')}</Origins></DistributionConfig>`
}

/** Throws if anything but the value has changed, or if origins disagree. */
function readHeaderValue(xml: string): string {
  const value = /X-Origin-Secret<\/HeaderName><HeaderValue>([^<]*)</.exec(xml)?.[1] ?? ''
  if (xml !== writeConfig(value)) throw new Error(`changed more than the header: ${xml}`)
  return value
}
